import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect } from 'vitest'
import { leftOutFor } from '../../support/left-out.ts'
import { superuserUrl } from '../../support/superuser-url.ts'
import {
  findPythonWithPsycopg,
  PRISMA_SCHEMA,
  PYTHON_PROGRAM,
  programsAt,
} from '../support/first-programs.ts'
import { followGuide } from './support/follow-guide.ts'
import { sendSql, useReader } from './support/posthorn.ts'

const posthorn = await useReader()
const { reader, databaseUrl } = posthorn
const python = findPythonWithPsycopg()

let organization = ''

beforeAll(async () => {
  const folder = path.join(reader.folder, 'application')
  await mkdir(folder)
  await writeFile(path.join(folder, 'schema.prisma'), PRISMA_SCHEMA)
  // Any executable, in place of an engine that it would download and does not use.
  await reader.type(
    `cd application && PRISMA_SCHEMA_ENGINE_BINARY='${process.execPath}' npx prisma generate --no-hints --schema schema.prisma`,
  )
})

followGuide('publish', posthorn, {
  programs: programsAt(0),
  run: { python: runPython },
  optionsOf: ({ language, file }) =>
    language !== 'python' || file || python
      ? {}
      : leftOutFor('psycopg is not installed (apt-get install python3-psycopg)'),
  after: {
    'npx node publish.ts': (output) => expect(output).toMatch(/evt_\w+ · deliveries: 0/),
    'python3 publish.py': (output) => expect(output).toMatch(/'id': 'evt_\w+'.*'duplicate': False/),
    'organization list': async (output) => {
      organization = /^(org_\w+) .*My organization/m.exec(output)?.[1] ?? ''
      await createRole()
      await createOrderTypes()
    },
    'create table tickets': fillTickets,
    'client.query': runProgram,
    'prisma.$transaction': runProgram,
    'publish_events(text, jsonb)': publishWithPrivileges,
    'update orders': async () => {
      const { rows } = await query('select type, previous from posthorn.events order by id')
      expect(rows.slice(-2)).toMatchObject([
        { type: 'order.created', previous: null },
        { type: 'order.updated', previous: '{"id":7,"status":"open","total":49.90}' },
      ])
    },
  },
})

async function createOrderTypes(): Promise<void> {
  for (const operation of ['created', 'updated', 'deleted']) {
    const input = `{ name: "order.${operation}", description: "An order was ${operation}." }`
    await posthorn.graphql(`mutation { createEventType(input: ${input}) { __typename } }`)
  }
}

/** The role of the reader's own application. */
async function createRole(): Promise<void> {
  const ofSuperuser = await superuserUrl(path.join(reader.folder, '.posthorn'), databaseUrl)
  await sendSql(
    ofSuperuser,
    'create role your_application; grant your_application to posthorn_embedded',
  )
}

/** What that application has in the table of the page. */
async function fillTickets(): Promise<void> {
  await query(`
    insert into tickets select generate_series(1, 100);
    grant select, update on tickets to your_application`)
}

const query = (sql: string) => sendSql(databaseUrl, sql)

const countEvents = async () =>
  (await query('select count(*)::int from posthorn.events')).rows[0].count as number

/** The application publishes, and may not read what it publishes. */
async function publishWithPrivileges(): Promise<void> {
  const before = await countEvents()
  await query(`
    set role your_application;
    select * from posthorn.publish_event('${organization}', 'event_attendee.ticket_success', '{}')`)
  const asApplication = query('set role your_application; select from posthorn.events')
  await expect(asApplication).rejects.toMatchObject({ code: '42501' })
  expect(await countEvents()).toBe(before + 1)
}

/** The program of the block, which publishes an event. */
async function runProgram(): Promise<void> {
  const before = await countEvents()
  await reader.type(`'${process.execPath}' part.ts`, {
    DATABASE_URL: databaseUrl,
    ORGANIZATION: organization,
  })
  expect(await countEvents()).toBeGreaterThan(before)
}

async function runPython(block: string): Promise<void> {
  // `python3 publish.py` runs the other one.
  if (block.startsWith('import ')) return
  await writeFile(path.join(reader.folder, 'program.py'), PYTHON_PROGRAM(block))
  const environment = { DATABASE_URL: databaseUrl, ORGANIZATION: organization }
  await reader.type(`'${python}' program.py`, environment)
}
