import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { SCOPES } from '../../src/access/scope.ts'
import { publicId } from '../../src/db/ids.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { runPosthorn } from '../support/posthorn-process.ts'

/** Commands that a server serves: each of them through the server, and in its database. */
let posthorn: TestApp
let dataDir: string
let token: string
/** The environments of the two ways. */
let throughServer: Record<string, string>
let inDatabase: Record<string, string>
let unusedPort: number
/** An organization that the server's own key does not belong to. */
let other: string

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn both ways '))
  posthorn = await startTestApp()
  const { prisma, url } = posthorn.database
  const { organizationId } = posthorn.tenant
  token = (await createApiKey(prisma, { organizationId, scopes: SCOPES })).token
  await createEventType(prisma, { name: 'anything', description: 'Any JSON.' }, SYSTEM)
  const autumn = await createOrganization(prisma, { name: 'Autumn Fair' }, SYSTEM)
  other = publicId('organization', autumn.id)
  await saveServer({ pid: process.pid, url: posthorn.app.url })
  unusedPort = await freePort()
  throughServer = { POSTHORN_DATA_DIR: dataDir }
  inDatabase = testEnvironment(url)
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

async function saveServer(server: object, folder = dataDir): Promise<void> {
  await writeFile(path.join(folder, 'server.json'), JSON.stringify(server))
  await writeFile(path.join(folder, 'api-key'), `${token}\n`)
}

const JSON_TEXT = String.raw`{ "amount": 10.50, "b": 1, "1": 2, "slash": "\/", "letter": "\u00e9é", "a": 1, "a": 2 }`

describe('the same output, the same errors and the same exit code', () => {
  test.each<[name: string, error: RegExp | 0, args: () => string[], input?: string | Buffer]>([
    ['organization create', 0, () => ['organization', 'create', 'Winter Fair']],
    [
      'organization create without a name',
      /^error: name must not be empty\.\n$/,
      () => ['organization', 'create', ' ', '--json'],
    ],
    [
      'key create with all options',
      0,
      () => [
        ...['key', 'create', '--organization', other, '--scope', 'webhooks:read,webhooks:write'],
        ...['--expires', '90d', '--name', 'Partner', '--rate-limit', '7'],
        ...['--event-rate-limit', '8', '--delivery-rate-limit', '9', '--json'],
      ],
    ],
    [
      'key create of no organization',
      /^error: There is no organization "org_x"\.\n$/,
      () => ['key', 'create', '--scope', 'webhooks:read', '--organization', 'org_x'],
    ],
    [
      'organization retention',
      0,
      () => ['organization', 'retention', other, '--days', '7', '--payloads', 'false', '--json'],
    ],
    [
      'organization retention of more days than the installation keeps',
      /^error: retentionDays must be at most 30, not 31: /,
      () => ['organization', 'retention', other, '--days', '31'],
    ],
    [
      'event-type retention',
      0,
      () => ['event-type', 'retention', 'anything', '--days', 'installation', '--json'],
    ],
    [
      'event-type retention without a number',
      /Write a number of days, such as 7, or installation\./,
      () => ['event-type', 'retention', 'anything', '--days', 'never'],
    ],
    ['publish', 0, () => publish('{"n":1}')],
    ['publish from standard input', 0, () => publish('-', '--json'), ` ${JSON_TEXT}\n`],
    [
      'publish of several organizations',
      /There are \d+ organizations/,
      () => ['publish', JOINED, '{}'],
    ],
  ])('%s', async (_name, error, args, input = '') => {
    const [served, stored] = await Promise.all([
      run(throughServer, args(), input),
      run(inDatabase, args(), input),
    ])
    if (error === 0) expect(served).toMatchObject({ code: 0, stderr: '' })
    else expect(served).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(error) })
    expect(withoutIds(stored)).toEqual(withoutIds(served))
  })

  test.each([
    ['organization list', () => ['organization', 'list']],
    ['event-type types', () => ['event-type', 'types']],
    ['key list of an organization', () => ['key', 'list', '--json', ...ORG()]],
  ])('%s: the same ids and times', async (_name, args) => {
    const served = await run(throughServer, args())
    expect(served).toMatchObject({ code: 0, stderr: '' })
    expect(await run(inDatabase, args())).toEqual(served)
  })

  test('event-type types --out writes what it prints, and names a folder that is missing', async () => {
    const file = path.join(dataDir, 'events.d.ts')
    const printed = await run(throughServer, ['event-type', 'types'])
    expect(printed.stdout).toContain(`'${JOINED}': EventAttendeeJoinedEvent`)
    const written = await run(throughServer, ['event-type', 'types', '--out', file])
    expect(written).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await readFile(file, 'utf8')).toBe(printed.stdout)
    const missing = path.join(dataDir, 'missing', 'events.d.ts')
    const failed = await run(throughServer, ['event-type', 'types', '--out', missing])
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(missing) })
  })

  test('key revoke', async () => {
    const { prisma } = posthorn.database
    const { organizationId } = posthorn.tenant
    const created = await createApiKey(prisma, { organizationId, scopes: ['webhooks:read'] })
    const id = publicId('apiKey', created.key.id)
    const served = await run(throughServer, ['key', 'revoke', id, '--json'])
    expect(JSON.parse(served.stdout)).toEqual({ id, revoked_at: expect.stringMatching(/Z$/) })
    // Again changes nothing.
    expect(await run(inDatabase, ['key', 'revoke', id, '--json'])).toEqual(served)
  })

  test('organization delete', async () => {
    const gone = await createOrganization(posthorn.database.prisma, { name: 'Spring Fair' }, SYSTEM)
    const id = publicId('organization', gone.id)
    const served = await run(throughServer, ['organization', 'delete', id, '--wait', '--json'])
    expect(JSON.parse(served.stdout)).toEqual({
      id,
      requested_at: expect.stringMatching(/Z$/),
      requested_by: expect.stringMatching(/^key_/),
      deleted_rows: expect.any(Number),
      finished_at: expect.stringMatching(/Z$/),
    })
    // Again changes nothing.
    expect(await run(inDatabase, ['organization', 'delete', id, '--json'])).toEqual(served)
  })
})

test.each<[string, RegExp, () => string[]]>([
  ['what is not JSON', /is not JSON.*Quote it for the shell/, () => publish('{n:1}')],
  [
    'a number that is not exact',
    /^error: <json> holds a number that cannot be kept exactly: send it as a string\.\n$/,
    () => publish('9007199254740993'),
  ],
  ['201 levels', /nested more than 200 levels/, () => publish('['.repeat(201) + ']'.repeat(201))],
  ['a lone surrogate', /lone surrogate/, () => publish(String.raw`{"a":"\ud800"}`)],
  [
    'the year 0',
    /^error: timestamp must be/,
    () => publish('1', '--timestamp', '0000-01-01T00:00:00Z'),
  ],
  ['no type', /missing required argument 'type'/, () => ['publish']],
])('publish refuses %s before it uses the server or the database', async (_, error, args) => {
  const { code, stdout, stderr } = await run({}, args())
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(error)
})

test('what a server publishes is kept to the letter', async () => {
  const { stdout } = await run(throughServer, publish('-', '--json'), ` ${JSON_TEXT}\n`)
  const { rows } = await posthorn.database.pool.query(
    'select data from posthorn.events where id = posthorn.parse_type_id($1, $2)',
    ['evt', JSON.parse(stdout).id],
  )
  expect(rows).toEqual([{ data: JSON_TEXT }])
})

test('nothing of the embedded Postgres was opened', () => {
  expect(existsSync(path.join(dataDir, 'postgres'))).toBe(false)
})

describe('with --server and POSTHORN_API_KEY', () => {
  const named = () => ['--server', posthorn.app.url]
  const withKey = () => ({ POSTHORN_API_KEY: posthorn.tenant.token })

  test('a key without the scope admin publishes for its organization', async () => {
    const args = ['publish', JOINED, '{}', '--json', ...named()]
    const { id } = JSON.parse((await run(withKey(), args)).stdout)
    const { rows } = await posthorn.database.pool.query(
      'select organization_id as "organizationId" from posthorn.events where id = posthorn.parse_type_id($1, $2)',
      ['evt', id],
    )
    expect(rows).toEqual([{ organizationId: posthorn.tenant.organizationId }])
  })

  test('the server is used also with DATABASE_URL, without an encryption key', async () => {
    const environment = { ...withKey(), DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/none' }
    const listed = await run(environment, ['key', 'list', '--json', ...named()])
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ organization: posthorn.tenant.publicOrganizationId }),
    )
  })

  test.each<[string, string, () => string, RegExp]>([
    ['a key that is not valid', 'phk_nothing', () => posthorn.app.url, /^error: .*API key.*\n$/],
    ['a key with a space', 'phk x', () => posthorn.app.url, /the full key/],
    ['no URL', 'k', () => 'localhost:4000', /http:\/\/ or https:\/\/ URL/],
    [
      'a server that does not run',
      'phk_a',
      () => `http://127.0.0.1:${unusedPort}`,
      /^error: Nothing listens at http:\/\/127\.0\.0\.1:\d+\. .*--server\.\n$/,
    ],
  ])('%s is an error, and the database is not used', async (_case, key, server, message) => {
    const { code, stdout, stderr } = await run({ ...inDatabase, POSTHORN_API_KEY: key }, [
      ...publish('{}'),
      ...['--server', server()],
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain(key === 'k' ? token : key)
  })

  test('a scope that the key lacks is named', async () => {
    const { stderr } = await run(withKey(), ['organization', 'create', 'Fair', ...named()])
    expect(stderr).toMatch(/^error: .*scope.*admin.*\n$/)
  })
})

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['closes the connection', (response) => void response.destroy(), /^error: Cannot connect to /],
  ['answers with a page', (response) => void response.end('hello'), /not respond like Posthorn/],
  ['starts again', (response) => void response.writeHead(503).end('{"detail":"Wait."}'), /503/],
])('if the server %s, publish says how to publish at most once', async (_what, answer, message) => {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push(body)
    if (body.includes('publishEvent(')) answer(response)
    else response.end('{"data":{"organization":{"id":"org_1"}}}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const unanswered = path.join(dataDir, 'unanswered')
  await mkdir(unanswered, { recursive: true })
  await saveServer({ pid: process.pid, url: `http://127.0.0.1:${port}` }, unanswered)

  const { code, stderr } = await run({ POSTHORN_DATA_DIR: unanswered }, publish('{}'))
  expect(code).toBe(1)
  expect(stderr).toMatch(message)
  const [, key] = / run the command again with --idempotency-key (\S+)\n$/.exec(stderr) ?? []
  const { variables } = JSON.parse(received.at(-1) ?? '')
  expect(variables.input.idempotencyKey).toBe(key)
  // Once, and not in the embedded database either.
  expect(received.filter((body) => body.includes('publishEvent('))).toHaveLength(1)
  expect(existsSync(path.join(unanswered, 'postgres'))).toBe(false)
})

const ORG = () => ['--organization', other]
const publish = (json: string, ...options: string[]) => [
  'publish',
  ...ORG(),
  'anything',
  json,
  ...options,
]

async function run(
  environment: Record<string, string>,
  args: readonly string[],
  input: string | Uint8Array = '',
) {
  return await runPosthorn(args, { environment, input, cwd: dataDir })
}

/** Ids, tokens and times differ between two runs. */
function withoutIds<T>(result: T): T {
  const text = JSON.stringify(result)
    .replaceAll(/(evt|key|org)_[0-9a-z]{26}/g, '$1_')
    .replaceAll(/phk_\w{49}/g, 'phk_')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
  return JSON.parse(text)
}
