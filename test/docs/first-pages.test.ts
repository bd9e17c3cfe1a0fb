import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { sign } from '../../src/receiver/index.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { freePort } from '../support/free-port.ts'
import { leftOutFor, needs } from '../support/left-out.ts'
import { createReader, type Reader, type Terminal } from '../support/reader.ts'
import { superuserUrl } from '../support/superuser-url.ts'
import { until } from '../support/until.ts'
import {
  findPythonWithPsycopg,
  PRISMA_SCHEMA,
  PYTHON_PROGRAM,
  programOf,
  TSCONFIG,
} from './support/first-programs.ts'
import { type Block, blocksOf } from './support/pages.ts'

/** In the order in which a new user reads them. */
const PAGES = [
  'docs/start/get-started.md',
  'docs/start/event-types.md',
  'docs/start/publish.md',
  'docs/guides/publish-in-sql.md',
  'docs/start/receive.md',
  'docs/start/own-postgres.md',
]

/**
 * The blocks of these pages run one after the other, as printed, in a new clone: a reader who follows them from the top to
 * the bottom gets what they promise. Only ports differ, and `…` has the reader's own value.
 */
const BLOCKS = PAGES.flatMap(blocksOf)

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

let reader: Reader
let port: number
/** The reader's own Postgres, for the end of the page. */
let ownDatabase: Database
let server: Terminal
let listener: Terminal
/** Of the embedded Postgres, as `npm start` prints it. */
let databaseUrl = ''
let organization = ''

beforeAll(async () => {
  port = await freePort()
  ownDatabase = await createBlankDatabase()
  reader = await createReader({ PORT: String(port) })
  await mkdir(path.join(reader.folder, 'application'))
  await writeFile(inApplication('tsconfig.json'), TSCONFIG)
  await writeFile(inApplication('schema.prisma'), PRISMA_SCHEMA)
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await ownDatabase?.[Symbol.asyncDispose]()
})

const python = findPythonWithPsycopg()

/** Programs that a system may not have. */
function optionsOf({ language, text }: Block) {
  if (language !== 'python')
    return needs(...['curl', 'openssl'].filter((one) => text.includes(`${one} `)))
  return leftOutFor(python ? null : 'psycopg is not installed (apt-get install python3-psycopg)')
}

test('the commands of the README are the first ones of these pages, in the same order', () => {
  const commands = blocksOf('README.md').map(({ text }) => text)
  expect(commands).toHaveLength(3)
  expect(commands).toEqual(BLOCKS.slice(0, 3).map(({ text }) => text))
})

for (const block of BLOCKS) {
  const { page, line, language, text } = block
  test(`${page}:${line}, ${language}: ${text.split('\n')[0]}`, optionsOf(block), async () => {
    const run = {
      sh: runShell,
      graphql: runGraphql,
      sql: runSql,
      ts: runTypeScript,
      python: runPython,
    }[language]
    if (!run) throw new Error(`Nothing runs a block of the language ${language}.`)
    await run(text)
  })
}

async function runShell(text: string): Promise<void> {
  // The dependencies are there.
  for (const part of partsOf(text.replace('npm ci && npm start', 'npm start'))) {
    if (part === 'npm start') await startServer()
    else if (KEEPS_RUNNING.test(part)) await startListener(part)
    else await runScript(part)
  }
}

/** Commands that keep running have a terminal of their own. */
const KEEPS_RUNNING = /^(npm start|npx posthorn listen .*)$/

/** The script, cut before and after each command that keeps running. */
function partsOf(script: string): string[] {
  const parts = ['']
  for (const line of script.trim().split('\n')) {
    if (KEEPS_RUNNING.test(line)) parts.push(line, '')
    else parts[parts.length - 1] += `${line}\n`
  }
  return parts.filter((part) => part.trim() !== '')
}

async function runScript(script: string): Promise<void> {
  if (script.includes('DATABASE_URL')) {
    await listener.stop()
    await server.stop()
  }
  const { stdout } = await reader.type(
    script
      .replace('postgres://…', ownDatabase.url)
      .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`),
  )
  if (script.includes('organization list')) {
    organization = /^(org_\w+) {2}My organization$/m.exec(stdout)?.[1] ?? ''
    await prepareApplication()
  }
  const published = /npx posthorn publish (\S+) '(.*)'/.exec(script)
  if (published) await until(() => received(published[1], published[2]), 'the delivery is printed')
  // `curl` prints an error of the server, and succeeds.
  expect(stdout).not.toMatch(/"(errors|message|detail)":/)
}

/** Whether the listener has printed a delivery that it verified, with this type and data. */
function received(type = '', data = ''): boolean {
  const [name = ''] = Object.keys(JSON.parse(data))
  return new RegExp(`✔ verified {2}${type}\\n(?:.*\\n)*? .*"${name}"`).test(listener.output)
}

async function startServer(): Promise<void> {
  server = reader.open('npm start')
  const isReady = () => server.output.includes('"msg":"ready"')
  await until(isReady, 'the server is ready', 60_000).catch((error) => {
    throw new Error(`${error.message}\n${server.output}`)
  })
  databaseUrl = /^ {2}Postgres {2}(postgres:.*)$/m.exec(server.output)?.[1] ?? databaseUrl
  const response = await fetch(`http://127.0.0.1:${port}/readyz`)
  expect(response.status).toBe(200)
}

async function startListener(command: string): Promise<void> {
  await listener?.stop()
  listener = reader.open(command)
  await until(
    () => /^(Registered wh_|Ready\.)/m.test(listener.output),
    'the listener is registered',
    30_000,
  )
}

async function readKey(): Promise<string> {
  return (await readFile(path.join(reader.folder, '.posthorn/api-key'), 'utf8')).trim()
}

async function runGraphql(query: string): Promise<void> {
  const key = await readKey()
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const result = (await response.json()) as { data: Record<string, { nodes?: unknown[] }> }
  expect(result).not.toHaveProperty('errors')
  for (const value of Object.values(result.data)) expect(value).not.toHaveProperty('message')
  // A page of a list shows something.
  for (const { nodes } of Object.values(result.data)) if (nodes) expect(nodes).not.toEqual([])
}

async function runSql(sql: string): Promise<void> {
  await withDatabase((client) => client.query(sql.replaceAll('org_…', organization)))
  if (sql.startsWith('grant ')) await publishWithPrivileges()
}

/** The trigger of the block before publishes for the application, which may not read what it publishes. */
async function publishWithPrivileges(): Promise<void> {
  await withDatabase(async (client) => {
    const count = async () =>
      Number((await client.query('select count(*) from posthorn.events')).rows[0].count)
    const before = await count()
    await client.query('set role your_application')
    await client.query('update tickets set issued_at = now() where id <= 100')
    await client.query('update tickets set issued_at = now() where id > 10000')
    await expect(count()).rejects.toMatchObject({ code: '42501' })
    await client.query('reset role')
    expect(await count()).toBe(before + 100)
  })
}

/** The tables and the role that the reader's own application has. */
async function prepareApplication(): Promise<void> {
  const ofSuperuser = await superuserUrl(path.join(reader.folder, '.posthorn'), databaseUrl)
  await withDatabase(
    (client) =>
      client.query('create role your_application; grant your_application to posthorn_embedded'),
    ofSuperuser,
  )
  await withDatabase((client) =>
    client.query(`
      create table tickets (id int primary key, issued_at timestamptz);
      insert into tickets select generate_series(1, 100) union values (9001);
      grant select, update on tickets to your_application`),
  )
}

async function withDatabase<T>(
  use: (client: pg.Client) => Promise<T>,
  url = databaseUrl,
): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const inApplication = (file: string) => path.join(reader.folder, 'application', file)

async function runTypeScript(block: string): Promise<void> {
  const receiverPort = await freePort()
  const used = block.replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
  await writeFile(inApplication('program.ts'), programOf(used, receiverPort))
  if (block.includes('prisma')) await reader.type(GENERATE)
  await reader.type('npx tsc --project application')
  const command = `'${process.execPath}' application/program.ts`
  const environment = {
    DATABASE_URL: databaseUrl,
    ORGANIZATION: organization,
    POSTHORN_API_KEY: await readKey(),
  }
  if (!block.includes('createServer')) {
    await expectEvents(() => reader.type(command, environment))
    return
  }
  const receiver = reader.open(`env WEBHOOK_SECRET=${SECRET} ${command}`)
  const body = '{"id":"evt_1","data":{"attendee":"Ada"}}'
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const send = async (signature: string) => {
    const headers = { 'wh-id': 'msg_1', 'wh-timestamp': timestamp, 'wh-signature': signature }
    return await fetch(`http://127.0.0.1:${receiverPort}`, { method: 'POST', headers, body })
  }
  const signature = await sign(SECRET, 'msg_1', timestamp, body)
  await until(
    () =>
      send(signature).then(
        ({ status }) => status === 204,
        () => false,
      ),
    'a 204',
  )
  await until(() => receiver.output.includes(`msg_1 ${body}`), 'the event is printed')
  const rejected = await send(`v1,${'A'.repeat(43)}=`)
  expect([rejected.status, await rejected.text()]).toEqual([400, 'no-matching-signature'])
  await receiver.stop()
}

/** Any executable, in place of an engine that it would download and does not use. */
const GENERATE = `cd application && PRISMA_SCHEMA_ENGINE_BINARY='${process.execPath}' npx prisma generate --no-hints --schema schema.prisma`

async function runPython(block: string): Promise<void> {
  await writeFile(inApplication('program.py'), PYTHON_PROGRAM(block))
  const environment = { DATABASE_URL: databaseUrl, ORGANIZATION: organization }
  await reader.type(`'${python}' application/program.py`, environment)
}

/** The program publishes an event. */
async function expectEvents(publish: () => Promise<unknown>): Promise<void> {
  const before = await countEvents()
  await publish()
  expect(await countEvents()).toBeGreaterThan(before)
}

async function countEvents(): Promise<number> {
  const { rows } = await withDatabase((client) =>
    client.query<{ count: number }>('select count(*)::int from posthorn.events'),
  )
  return rows[0]?.count ?? 0
}
