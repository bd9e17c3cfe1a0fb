import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { sign } from '../../packages/receiver/src/index.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { freePort } from '../support/free-port.ts'
import { leftOutFor } from '../support/left-out.ts'
import { superuserUrl } from '../support/superuser-url.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { followPages } from './guides/support/follow-guide.ts'
import { readKey, sendGraphql, sendSql } from './guides/support/posthorn.ts'
import {
  findPythonWithPsycopg,
  PRISMA_SCHEMA,
  PYTHON_PROGRAM,
  programsAt,
} from './support/first-programs.ts'
import { blocksOf } from './support/pages.ts'
import { createReader } from './support/reader.ts'

/**
 * The blocks of these pages run one after the other, as printed, in a new clone: a reader who follows them from the top to
 * the bottom gets what they promise. Only ports differ, and `…` has the reader's own value.
 */
const PAGES = [
  'docs/start/get-started.md',
  'docs/start/your-application.md',
  'docs/guides/publish.md',
]

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const port = await freePort()
const receiverPort = await freePort()
const url = `http://127.0.0.1:${port}`
/** The reader's own Postgres, for the last page. */
const ownDatabase = await useResource(createBlankDatabase())
const reader = await useResource(createReader({ PORT: String(port) }))
const python = findPythonWithPsycopg()

/** Of the embedded Postgres, as `npm start` prints it. */
let databaseUrl = ''
let organization = ''

const posthorn = {
  ...{ reader, url },
  get databaseUrl() {
    return databaseUrl
  },
  graphql: (query: string) => sendGraphql(reader, url, query),
}

beforeAll(async () => {
  const folder = path.join(reader.folder, 'application')
  await mkdir(folder)
  await writeFile(path.join(folder, 'schema.prisma'), PRISMA_SCHEMA)
  // Any executable, in place of an engine that it would download and does not use.
  await reader.type(
    `cd application && PRISMA_SCHEMA_ENGINE_BINARY='${process.execPath}' npx prisma generate --no-hints --schema schema.prisma`,
  )
})

test('the commands of the README are the first ones of these pages, in the same order', () => {
  const commands = blocksOf('README.md').map(({ text }) => text)
  expect(commands).toHaveLength(3)
  expect(commands).toEqual(
    PAGES.flatMap(blocksOf)
      .slice(0, 3)
      .map(({ text }) => text),
  )
})

const READY = '"msg":"ready"'

async function isReady(): Promise<void> {
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
}

/** The listener has printed a delivery that it verified, with this name in its data. */
const isVerified = (name: string) => async (_: string, now: () => string) => {
  const printed = new RegExp(`✔ verified {2}\\S+\\n(?:.*\\n)*? .*"${name}"`)
  await until(() => printed.test(now()), 'the delivery is printed')
}

followPages(PAGES, posthorn, {
  port: receiverPort,
  servers: { 'npm ci && npm start': READY },
  // The dependencies are there.
  replace: () => ({ 'npm ci && npm start': 'npm start' }),
  programs: programsAt(receiverPort),
  run: { python: runPython },
  optionsOf: ({ language }) =>
    language !== 'python' || python
      ? {}
      : leftOutFor('psycopg is not installed (apt-get install python3-psycopg)'),
  after: {
    'npm start': async (output) => {
      databaseUrl = /^ {2}Postgres {2}(postgres:.*)$/m.exec(output)?.[1] ?? ''
      await isReady()
    },
    '{"attendee": "Ada"}': isVerified('attendee'),
    '{"order": 9001, "total"': isVerified('order'),
    '"enabled": false': (output) => expect(output).not.toContain('"detail":'),
    'equals: "9001"': (output) => expect(output).toMatch(/"nodes":\[\{"id":"evt_/),
    "from '@posthorn/client'": runProgram,
    'organization list': async (output) => {
      organization = /^(org_\w+) .*My organization/m.exec(output)?.[1] ?? ''
      await createRole()
    },
    'create table tickets': fillTickets,
    'client.query': runProgram,
    'prisma.$transaction': runProgram,
    'grant usage on schema': publishWithPrivileges,
    createServer: receive,
  },
})

followPages(['docs/start/get-started.md'], posthorn, {
  servers: { 'npm start': READY },
  replace: () => ({ 'postgres://…': ownDatabase.url }),
  after: { 'npm start': isReady },
})

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

/** The trigger of the block before publishes for the application, which may not read what it publishes. */
async function publishWithPrivileges(): Promise<void> {
  const before = await countEvents()
  await query(`
    set role your_application;
    update tickets set issued_at = now() where id <= 100;
    update tickets set issued_at = now() where id > 10000`)
  const asApplication = query('set role your_application; select from posthorn.events')
  await expect(asApplication).rejects.toMatchObject({ code: '42501' })
  expect(await countEvents()).toBe(before + 100)
}

/** The program of the block, which publishes an event. */
async function runProgram(): Promise<void> {
  const before = await countEvents()
  await reader.type(`'${process.execPath}' part.ts`, {
    ...{ DATABASE_URL: databaseUrl, ORGANIZATION: organization },
    POSTHORN_API_KEY: await readKey(reader),
  })
  expect(await countEvents()).toBeGreaterThan(before)
}

async function runPython(block: string): Promise<void> {
  await writeFile(path.join(reader.folder, 'program.py'), PYTHON_PROGRAM(block))
  const environment = { DATABASE_URL: databaseUrl, ORGANIZATION: organization }
  await reader.type(`'${python}' program.py`, environment)
}

async function receive(): Promise<void> {
  const receiver = reader.open(`env WEBHOOK_SECRET=${SECRET} '${process.execPath}' part.ts`)
  const body = '{"id":"evt_1","data":{"attendee":"Ada"}}'
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const send = async (signature: string) => {
    const headers = { 'wh-id': 'msg_1', 'wh-timestamp': timestamp, 'wh-signature': signature }
    return await fetch(`http://127.0.0.1:${receiverPort}`, { method: 'POST', headers, body })
  }
  const signature = await sign(SECRET, 'msg_1', timestamp, body)
  const isAccepted = () =>
    send(signature).then(
      ({ status }) => status === 204,
      () => false,
    )
  await until(isAccepted, 'a 204')
  await until(() => receiver.output.includes(`msg_1 ${body}`), 'the event is printed')
  const rejected = await send(`v1,${'A'.repeat(43)}=`)
  expect([rejected.status, await rejected.text()]).toEqual([400, 'no-matching-signature'])
  await receiver.stop()
}
