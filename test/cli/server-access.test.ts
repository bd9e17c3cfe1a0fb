import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Receiver, startLocalReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { refusal, runCommand } from './run-command.ts'

/** Which API key commands send, and to which server. */
let dataDir: string
/** The server that runs with the data directory. */
let own: Receiver
/** Another one. */
let other: Receiver

const OWN_KEY = 'phk_own'

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(temporaryFolder(), 'posthorn keys '))
  own = await startRefusing()
  other = await startRefusing()
  await writeFile(path.join(dataDir, 'api-key'), `${OWN_KEY}\n`)
  await saveServer(own.url)
})
afterEach(async () => {
  for (const receiver of [own, other]) await receiver[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

const saveServer = (url: string) =>
  writeFile(path.join(dataDir, 'server.json'), JSON.stringify({ pid: process.pid, url }))

const PUBLISH = ['publish', 'order.paid', '{}']
const LISTEN = [
  ['listen', '--register'],
  ['listen', '--forward', 'http://127.0.0.1:1/'],
]
const LIST = ['key', 'event-type', 'organization'].map((noun) => [noun, 'list'])
const COMMANDS = [PUBLISH, ...LIST, ...LISTEN]

describe('the key of the data directory', () => {
  test.each(COMMANDS)('goes to no other server: %s', async (...args) => {
    expect(await refused([...args, '--server', other.url])).toBe(
      `error: There is no API key for ${other.url}. Set POSTHORN_API_KEY, or give --key-file.\n`,
    )
    expect(keysOf(other)).toEqual([])
  })

  test.each(COMMANDS)('goes to the server of the directory: %s', async (...args) => {
    await run([...args, '--server', own.url])
    expect(new Set(keysOf(own))).toEqual(new Set([OWN_KEY]))
  })

  test.each(COMMANDS)('goes to nobody who listens at HOST and PORT: %s', async (...args) => {
    await rm(path.join(dataDir, 'server.json'))
    expect(await refused(args, { PORT: new URL(other.url).port })).toBe(
      `error: There is no API key for ${other.url}. Set POSTHORN_API_KEY, or give --key-file. If Posthorn has its own Postgres, start Posthorn first: npm start\n`,
    )
    expect(other.received).toEqual([])
  })
})

describe('the server of the data directory', () => {
  test('may listen on all addresses', async () => {
    await saveServer(own.url.replace('127.0.0.1', '0.0.0.0'))
    await run(PUBLISH, { HOST: '127.0.0.9', PORT: '1' })
    expect(keysOf(own)).toEqual([OWN_KEY])
  })

  test.each([
    ['left by a killed server', (pid: number) => ({ pid, url: own.url })],
    ['that has no URL', () => ({ pid: process.pid })],
    ['that is invalid', () => 'x'],
  ])('is not that of a file %s: HOST and PORT count', async (_which, content) => {
    const child = spawn(process.execPath, ['--version'])
    await once(child, 'close')
    const file = path.join(dataDir, 'server.json')
    await writeFile(file, JSON.stringify(content(child.pid ?? 0)))
    const { port } = new URL(other.url)
    await run(PUBLISH, { PORT: port, POSTHORN_API_KEY: 'phk_variable' })
    expect({ own: keysOf(own), other: keysOf(other) }).toEqual({ own: [], other: ['phk_variable'] })
  })
})

describe('POSTHORN_API_KEY', () => {
  test('is the key for --server, before that of the data directory', async () => {
    for (const { url } of [other, own]) {
      await run([...PUBLISH, '--server', url], { POSTHORN_API_KEY: 'phk_variable' })
    }
    expect(keysOf(other)).toContain('phk_variable')
    expect(keysOf(own)).toContain('phk_variable')
    expect(keysOf(own)).not.toContain(OWN_KEY)
  })

  test.each(LISTEN)(
    'does not go to the server of the data directory unasked: %s',
    async (...args) => {
      await run(args, { POSTHORN_API_KEY: 'phk_variable' })
      expect(new Set(keysOf(own))).toEqual(new Set([OWN_KEY]))
    },
  )
})

describe('--key-file', () => {
  test('comes first', async () => {
    const file = path.join(dataDir, 'key')
    await writeFile(file, 'phk_file\r\n')
    const environment = { POSTHORN_API_KEY: 'phk_b' }
    await run([...PUBLISH, '--server', other.url, '--key-file', file], environment)
    await run([...PUBLISH, '--key-file', file])
    expect(new Set([...keysOf(other), ...keysOf(own)])).toEqual(new Set(['phk_file']))
  })

  test('- reads standard input, unless the data come from there', async () => {
    const args = ['--server', other.url, '--key-file', '-']
    await run([...PUBLISH, ...args], {}, 'phk_input\n')
    expect(new Set(keysOf(other))).toEqual(new Set(['phk_input']))
    const both = await refused(['publish', 'order.paid', '-', ...args], {}, '{}')
    expect(both).toBe('error: Standard input is empty.\n')
  })

  test('a file with something else than a key is an error that does not show it', async () => {
    const file = path.join(dataDir, 'key')
    await writeFile(file, 'two lines\nof text')
    expect(await refused([...PUBLISH, '--server', other.url, '--key-file', file])).toBe(
      'error: token must be an API key, phk_…, without spaces or line breaks. Is the variable that contains it set?\n',
    )
  })
})

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['closes the connection', (response) => void response.destroy(), /cannot be reached/],
  ['answers with a page', (response) => void response.end('hello'), /not as Posthorn does/],
  [
    'starts again',
    (response) => void response.writeHead(503).end('{"detail":"Wait."}'),
    /HTTP 503\./,
  ],
])('if the server %s, publish says how to publish at most once', async (_what, answer, message) => {
  own.answer = answer
  const stderr = await refused(PUBLISH)
  expect(stderr).toMatch(message)
  const [, key] = / add --idempotency-key (\S+) to the command\./.exec(stderr) ?? []
  expect(own.received).toHaveLength(1)
  expect(JSON.parse(`${own.received[0]?.body}`)).toMatchObject({ idempotencyKey: key })
})

test('if nothing listens, publish needs no idempotency key, as nothing was sent', async () => {
  const server = `http://127.0.0.1:${await freePort()}`
  const { stderr } = await run([...PUBLISH, '--server', server], { POSTHORN_API_KEY: 'phk_a' })
  expect(stderr).toMatch(/ECONNREFUSED.*\d\. Start Posthorn with .*--server\.\n$/)
})

test('no command takes a key as an argument, which other users of the machine can read', async () => {
  for (const args of COMMANDS) {
    expect(await refused([...args, '--key', 'phk_argument'])).toContain("unknown option '--key'")
  }
})

test('a key that goes unencrypted to another machine is warned of', async () => {
  const environment = { POSTHORN_API_KEY: 'phk_variable' }
  const far = await run([...PUBLISH, '--server', 'http://posthorn.invalid'], environment)
  expect(far.stderr).toContain(
    'warning: http://posthorn.invalid is not https://, so others on the way can read the API key.\n',
  )
  for (const url of ['https://posthorn.invalid', other.url]) {
    const { stderr } = await run([...PUBLISH, '--server', url], environment)
    expect(stderr).not.toContain('warning')
  }
})

type Run = [args: readonly string[], environment?: object, input?: string]

const commandOf = (...[args, environment = {}, input = '']: Run) =>
  [args, { POSTHORN_DATA_DIR: dataDir, ...environment }, { input }] as const

const run = (...given: Run) => runCommand(...commandOf(...given))
const refused = (...given: Run) => refusal(...commandOf(...given))

/** A server that refuses each request. */
async function startRefusing() {
  const receiver = await startLocalReceiver()
  receiver.answer = (response) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"detail":"Refused."}')
  return Object.assign(receiver, { url: new URL(receiver.url).origin })
}

const keysOf = ({ received }: Receiver) =>
  received.flatMap(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? [])
