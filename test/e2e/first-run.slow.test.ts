import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { readyUrl } from '../console/support/console-server.ts'
import { JOINED } from '../support/factories.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { useFolder } from '../support/use-folder.ts'

/** The README's walk-through in a new folder, with default settings except a free port and short retry delays. */
const folder = await useFolder('first run')
const environment = { PORT: '0', POSTHORN_RETRY_SCHEDULE: '1s,1s,1s' }

let posthorn: PosthornProcess
let url: string
let token: string

beforeAll(async () => {
  await start()
  token = /^ {2}(phk_\w+)$/m.exec(posthorn.stderr)?.[1] ?? ''
})
afterAll(() => posthorn[Symbol.asyncDispose]())

async function start() {
  posthorn = startPosthorn(['start'], { cwd: folder, environment })
  url = await readyUrl(posthorn)
}

const run = (args: readonly string[], more = {}) =>
  runPosthorn(args, { cwd: folder, environment: { ...environment, ...more } })

const fileOf = (name: string) => path.join(folder, '.posthorn', name)

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
    const { mode } = await stat(fileOf(file))
    expect(mode & 0o077, file).toBe(0)
  }
  expect((await readFile(fileOf('api-key'), 'utf8')).trim()).toBe(token)
})

test('a second start keeps the data, and does not print the key again', async () => {
  const webhook = { url: 'https://example.com/hooks', event_subscriptions: [JOINED] }
  const before = [await (await webhooks(token, webhook)).json()]
  posthorn.child.kill('SIGTERM')
  expect(await posthorn.ended).toBe(0)
  await expect(readFile(fileOf('server.json'))).rejects.toThrow('ENOENT')
  await start()
  expect(posthorn.stderr).not.toContain(token)
  expect(posthorn.stderr).toContain('The API key is in .posthorn/api-key.')
  expect(posthorn.stderr).toMatch(/Console {3}http:\S+\/console\/sign-in#link=[\w-]{43}\s/)
  expect(await (await webhooks()).json()).toEqual(before)
})

test('after kill -9, a command names the server that is away, a key is created all the same, and it starts again', async () => {
  posthorn.child.kill('SIGKILL')
  await posthorn.ended
  await readFile(fileOf('server.json'))
  expect(await run(['key', 'create', '--scope', 'webhooks:read'])).toMatchObject({ code: 0 })
  const away = { PORT: new URL(url).port, POSTHORN_API_KEY: token }
  expect((await run(['key', 'list'], away)).stderr).toContain(`${url}/graphql cannot be reached`)
  await start()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  const saved = JSON.parse(await readFile(fileOf('server.json'), 'utf8'))
  expect(saved).toEqual({ pid: posthorn.child.pid, url })
  const [, databaseUrl = ''] = /^ {2}Postgres {2}(postgres:\S+)$/m.exec(posthorn.stderr) ?? []
  await using database = openDatabase(databaseUrl)
  const { rows } = await database.pool.query(
    `select source from posthorn.audit_log where action = 'api_key.created' order by id`,
  )
  expect(rows.map(({ source }) => source)).toEqual(['system', 'cli'])
})

test('a start with an invalid key says how to create another', async () => {
  const [{ id }] = JSON.parse((await run(['key', 'list', '--json'])).stdout)
  expect(await run(['key', 'revoke', id])).toMatchObject({ code: 0 })
  posthorn.child.kill('SIGTERM')
  await posthorn.ended
  await start()
  expect(posthorn.stderr).toContain('is missing or no longer valid')

  const [, suggested] = /npx posthorn (key create .*)/.exec(posthorn.stderr) ?? []
  const created = await run(`${suggested} --json`.split(' '))
  expect((await webhooks(JSON.parse(created.stdout).token)).status).toBe(200)
})

/** Lists the webhooks, or creates one. */
const webhooks = (key = token, body?: object) =>
  fetch(`${url}/api/connect/v1/webhooks`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
