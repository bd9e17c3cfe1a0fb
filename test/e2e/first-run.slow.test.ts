import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readyUrl } from '../console/support/console-server.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'

/** The README's walk-through in a new folder, with default settings except a free port and short retry delays. */
let cwd: string
const environment = { PORT: '0', POSTHORN_RETRY_SCHEDULE: '1s,1s,1s' }

let posthorn: PosthornProcess
let url: string
let token: string

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'posthorn first run '))
  posthorn = startPosthorn(['start'], { cwd, environment })
  url = await readyUrl(posthorn)
  token = /^ {2}(phk_\w+)$/m.exec(posthorn.stderr)?.[1] ?? ''
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

test('the first start prints an API key and a curl command that works', async () => {
  const [, address, authorization] = /curl (\S+) -H '(.+)'/.exec(posthorn.stderr) ?? []
  expect(authorization).toBe(`Authorization: Bearer ${token}`)
  const response = await fetch(String(address), { headers: { authorization: `Bearer ${token}` } })
  expect([response.status, await response.json()]).toEqual([200, []])
})

test('only the owner of the files can read its secrets', async () => {
  for (const file of [
    'api-key',
    'encryption-key',
    'postgres-password',
    'postgres-owner-password',
    'authority/ca.key',
  ]) {
    const { mode } = await stat(path.join(cwd, '.posthorn', file))
    expect(mode & 0o077, file).toBe(0)
  }
  expect((await readFile(path.join(cwd, '.posthorn/api-key'), 'utf8')).trim()).toBe(token)
})

test('a second start keeps the data, and does not print the key again', async () => {
  const before = await webhooksAfterRegistering()
  posthorn.child.kill('SIGTERM')
  expect(await posthorn.ended).toBe(0)
  await expect(readFile(serverFile())).rejects.toThrow('ENOENT')
  posthorn = startPosthorn(['start'], { cwd, environment })
  url = await readyUrl(posthorn)
  expect(posthorn.stderr).not.toContain(token)
  expect(posthorn.stderr).toContain('The API key is in .posthorn/api-key.')
  expect(linkOf(posthorn)).toMatch(/^[\w-]{43}$/)
  const response = await fetch(`${url}/api/connect/v1/webhooks`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(await response.json()).toEqual(before)
})

test('after kill -9, a command names the server that is away, a key is created all the same, and it starts again', async () => {
  const create = ['key', 'create', '--scope', 'webhooks:read']
  posthorn.child.kill('SIGKILL')
  await posthorn.ended
  await readFile(serverFile())
  expect(await runPosthorn(create, { cwd, environment })).toMatchObject({ code: 0 })
  const away = { ...environment, PORT: new URL(url).port, POSTHORN_API_KEY: token }
  const { stderr } = await runPosthorn(['key', 'list'], { cwd, environment: away })
  expect(stderr).toContain('Nothing listens at')
  posthorn = startPosthorn(['start'], { cwd, environment })
  url = await readyUrl(posthorn)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const saved = JSON.parse(await readFile(serverFile(), 'utf8'))
  expect(saved).toEqual({ pid: posthorn.child.pid, url })
  const { rows } = await query(
    `select source from posthorn.audit_log where action = 'api_key.created' order by id`,
  )
  expect(rows.map(({ source }) => source)).toEqual(['system', 'cli'])
})

test('a start with an invalid key says how to create another', async () => {
  const { stdout } = await runPosthorn(['key', 'list', '--json'], { cwd, environment })
  const [{ id }] = JSON.parse(stdout)
  expect(await runPosthorn(['key', 'revoke', id], { cwd, environment })).toMatchObject({ code: 0 })
  posthorn.child.kill('SIGTERM')
  await posthorn.ended
  posthorn = startPosthorn(['start'], { cwd, environment })
  url = await readyUrl(posthorn)
  expect(posthorn.stderr).toContain('is missing or no longer valid')

  const [, suggested] = /npx posthorn (key create .*)/.exec(posthorn.stderr) ?? []
  const args = `${suggested} --json`.split(' ')
  const created = await runPosthorn(args, { cwd, environment })
  const response = await fetch(`${url}/api/connect/v1/webhooks`, {
    headers: { authorization: `Bearer ${JSON.parse(created.stdout).token}` },
  })
  expect(response.status).toBe(200)
})

/** At the URL that the last start printed. */
async function query(sql: string): Promise<pg.QueryResult> {
  const [, databaseUrl] = /^ {2}Postgres {2}(postgres:\S+)$/m.exec(posthorn.stderr) ?? []
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

function serverFile(): string {
  return path.join(cwd, '.posthorn/server.json')
}

function linkOf({ stderr }: PosthornProcess): string | undefined {
  return /Console {3}http:\S+\/console\/sign-in#link=(\S+)/.exec(stderr)?.[1]
}

async function webhooksAfterRegistering(): Promise<unknown> {
  const response = await fetch(`${url}/api/connect/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/hooks', event_subscriptions: [JOINED] }),
  })
  return [await response.json()]
}
