import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { sign } from '../../packages/receiver/src/index.ts'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { publicId } from '../../src/db/ids.ts'
import { unappliedMigrations } from '../../src/db/migrate/migrations.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { createApiKey } from '../support/api-keys.ts'
import { testEnvironment, useTestApp } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { PROGRAM, runPosthorn } from '../support/posthorn-process.ts'
import { useFolder } from '../support/use-folder.ts'
import { printedJson, refusal, runCommand } from './run-command.ts'

const posthorn = await useTestApp()
const { prisma } = posthorn.database
const { organizationId } = posthorn.tenant
const dataDir = await useFolder('commands')
const { token } = await createApiKey(prisma, { organizationId, scopes: SCOPES })
await createEventType(prisma, { name: 'anything', description: 'Any JSON.' }, SYSTEM)
const autumn = await createOrganization(prisma, { name: 'Autumn Fair', uid: 'autumn' }, SYSTEM)
/** An organization that the key does not belong to. */
const other = publicId('organization', autumn.id)

const withKey = (token: string) => ({
  PORT: new URL(posthorn.app.url).port,
  POSTHORN_API_KEY: token,
  POSTHORN_DATA_DIR: dataDir,
})
/** The settings of a caller of the API, with a key of the scope `admin`. */
const caller = withKey(token)
/** The settings of an operator without any key. */
const operator = () => testEnvironment(posthorn.database.url)

const run = (...args: string[]) => runCommand(args, caller)
const inDatabase = (...args: string[]) => runCommand(args, operator())

const json = (...args: string[]) => printedJson(args, caller)
const jsonInDatabase = (...args: string[]) => printedJson(args, operator())

const KEY = ['--organization', 'autumn', '--scope', 'webhooks:read,webhooks:write']

describe('what is refused, with its reason and exit code 1', () => {
  test.each<[args: string[], reason: RegExp]>([
    [['organization', 'create', ' '], /^error: name must not be empty\.\n$/],
    [
      ['key', 'create', '--scope', 'admin'],
      /^error: There are \d+ organizations\. Choose one:\n {2}/,
    ],
    [['key', 'create', '--scope', 'admin', '--organization', 'org_x'], /There is no organization/],
    [['key', 'create', ...KEY, '--expires', 'soon'], /such as 500ms, 15s/],
    [['key', 'create', '--organization', 'autumn'], /required option '--scope/],
    [['key', 'create', '--organization', 'autumn', '--scope', 'webhook:read'], /"webhooks:read"/],
  ])('in the database: %j', async (args, reason) => {
    expect(await refusal(args, operator())).toMatch(reason)
  })

  test.each<[args: string[], reason: RegExp]>([
    [['key', 'list', '--organization', 'org_x'], /does not name an organization/],
    [['key', 'revoke', 'nonsense'], /^error: There is no API key "nonsense"\.\n$/],
    [['publish', 'event_attendee.joined', '{}'], /Did you mean "event_attendee\.joined_event"/],
    [['publish', 'anything', '{n:1}'], /^error: dataText is not JSON\. Quote it for the shell/],
    [['publish'], /missing required argument 'type'/],
    [
      ['publish', 'anything', '1', '--server', 'localhost:4000'],
      /url must be https:\/\/ or http:\/\//,
    ],
    [['pubish'], /Did you mean publish/],
  ])('by the API: %j', async (args, reason) => {
    expect(await refusal(args, caller)).toMatch(reason)
  })

  test.each<[what: string, token: () => string, reason: RegExp]>([
    ['a key that is not known', () => 'phk_nothing', /^error: .*API key.*--key-file\.\n$/],
    ['a scope that the key lacks', () => posthorn.tenant.token, /^error: .*scope.*admin.*\n$/],
  ])('%s', async (_what, token, reason) => {
    const shown = await refusal(['organization', 'list'], withKey(token()))
    expect(shown).toMatch(reason)
    expect(shown).not.toContain(token())
  })
})

test('posthorn organization create, list and delete', async () => {
  const winter = await jsonInDatabase('organization', 'create', 'Winter Fair')
  const spring = await jsonInDatabase('organization', 'create', 'Spring Fair', '--uid', 'spring')
  const time = expect.stringMatching(/^\d{4}-.*Z$/)
  const id = expect.stringMatching(/^org_/)
  expect(winter).toEqual({ id, name: 'Winter Fair', uid: null, metadata: {}, created_at: time })
  const listed = await json('organization', 'list')
  // Oldest first.
  expect(listed.slice(-2)).toEqual([winter, spring])
  const { stdout } = await run('organization', 'list')
  expect(stdout).toContain(`${winter.id}  -       Winter Fair\n${spring.id}  spring  Spring Fair\n`)

  expect(await json('organization', 'delete', winter.id)).toEqual({
    ...{ id: winter.id, requested_at: time, requested_by: expect.stringMatching(/^key_/) },
    ...{ deleted_rows: expect.any(Number), finished_at: null },
  })
  expect((await run('organization', 'delete', winter.id)).stdout).toContain('is deleted')
  expect(JSON.stringify(await json('organization', 'list'))).not.toContain(winter.id)
})

test('posthorn key create prints the token once, list shows the key, and revoke revokes it', async () => {
  const created = await jsonInDatabase('key', 'create', ...KEY, '--expires', '90d', '--name', 'A')
  expect(created).toEqual({
    id: expect.stringMatching(/^key_/),
    token: expect.stringMatching(/^phk_[0-9A-Za-z]{49}$/),
  })
  const listed = await json('key', 'list', '--organization', other)
  expect(JSON.stringify(listed)).not.toContain(created.token)
  expect(listed).toEqual([
    {
      ...{ id: created.id, organization: other, name: 'A', token_hint: expect.any(String) },
      scopes: ['webhooks:read', 'webhooks:write'],
      ...{ created_at: expect.any(String), expires_at: expect.any(String) },
      ...{ revoked_at: null, last_used_at: null },
    },
  ])
  const [{ created_at, expires_at }] = listed
  expect((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000).toBeCloseTo(90, 1)
  // Without --organization, the keys of the own one.
  expect(JSON.stringify(await json('key', 'list'))).not.toContain(created.id)
  expect((await run('key', 'revoke', created.id)).stderr).toContain('There is no API key')

  const revoked = await json('key', 'revoke', created.id, '--organization', other)
  expect(revoked).toEqual({ id: created.id, revoked_at: expect.stringMatching(/Z$/) })
  // Again changes nothing.
  expect(await json('key', 'revoke', created.id, '--organization', 'autumn')).toEqual(revoked)
  const { stdout } = await run('key', 'list', '--organization', other)
  expect(stdout).toMatch(new RegExp(`^${created.id} .* ${revoked.revoked_at} `, 'm'))
})

test('posthorn key create needs no --organization if there is one, and one at all', async () => {
  await using database = await createTestDatabase()
  const create = ['key', 'create', '--scope', 'webhooks:read', '--json']
  const none = await runCommand(create, testEnvironment(database.url))
  expect(none.stderr).toContain('Create one: posthorn organization create <name>')
  const { organizationId } = await createTenant(database.prisma)
  const created = await runCommand(create, testEnvironment(database.url))
  const id = JSON.parse(created.stdout).id
  const rows = await database.prisma.apiKey.findMany({ orderBy: { id: 'desc' }, take: 1 })
  expect(rows).toMatchObject([{ organizationId }])
  expect(publicId('apiKey', rows[0]?.id ?? '')).toBe(id)
})

/** What parsers and printers of JSON change: numbers, the order of keys, repeated keys, escapes and white space. */
const TO_THE_LETTER = String.raw`{ "amount": 10.50, "one": 1.0, "zero": -0, "e": 1E5, "pi": 3.141592653589793238,
  "b": 1, "1": 2, "slash": "\/", "letter": "\u00e9é", "a": 1, "a": 2 }`

describe('posthorn publish', () => {
  async function stored(id: string) {
    const { rows } = await posthorn.database.pool.query(
      `select data, previous, posthorn.type_id('org', organization_id) as organization
       from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
      [id],
    )
    return rows[0]
  }

  test('keeps data and previous data to the letter, without a byte order mark and the space around', async () => {
    const text = `\ufeff ${TO_THE_LETTER}\n`
    const { id } = await json('publish', 'anything', text, '--previous', ` ${TO_THE_LETTER}\n`)
    const organization = posthorn.tenant.publicOrganizationId
    expect(await stored(id)).toEqual({ data: TO_THE_LETTER, previous: TO_THE_LETTER, organization })
    const piped = await runCommand(['publish', 'anything', '-', '--json'], caller, { input: text })
    expect((await stored(JSON.parse(piped.stdout).id)).data).toBe(TO_THE_LETTER)
  })

  test('acts for the organization of --organization, and with another key for its own', async () => {
    const { id } = await json('publish', 'anything', 'null', '--organization', 'autumn')
    expect(await stored(id)).toMatchObject({ organization: other, data: 'null' })
    const named = ['--organization', other]
    const publish = ['publish', JOINED, '{}', '--timestamp', '2026-01-31T11:00:00Z']
    const own = withKey(posthorn.tenant.token)
    const { code, stdout } = await runCommand(publish, own)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^evt_\w+ {2}0 deliveries\n$/),
    })
    const refused = await runCommand([...publish, ...named], own)
    expect(refused.stderr).toContain('needs an API key with the scope admin')
  })

  test('publishes once for an idempotency key, and compares with what SQL published', async () => {
    const text = '{ "amount": 10.50 }'
    const { rows } = await posthorn.database.pool.query(
      `select event_id as id from posthorn.publish_event($1, 'anything', $2::text, 'letter')`,
      [posthorn.tenant.publicOrganizationId, text],
    )
    const args = ['publish', 'anything', '--idempotency-key', 'letter']
    const duplicate = { id: rows[0].id, deliveries: 0, duplicate: true }
    expect(await json(...args, text)).toEqual(duplicate)
    const refused = await refusal([...args, '{"amount":10.5}'], caller)
    expect(refused).toContain('idempotencyKey was used for another event')
  })

  test('rejects data that is not UTF-8, and publishes nothing', async () => {
    const before = await posthorn.database.prisma.event.count()
    const latin1 = Buffer.from('{"name":"Ren\xe9"}', 'latin1')
    for (const input of [latin1, Buffer.from('\ufeff{"name":"Ada"}', 'utf16le')]) {
      const refused = await refusal(['publish', 'anything', '-'], caller, { input })
      expect(refused).toMatch(/^error: <json> is not UTF-8\. Convert it.*iconv/)
    }
    expect(await posthorn.database.prisma.event.count()).toBe(before)
  })
})

test.skipIf(process.platform === 'win32')('an argument that is not UTF-8 is rejected', async () => {
  const command = `publish ${JOINED} "{\\"name\\":\\"$bytes\\"}"`
  const script = `bytes=$(printf 'Ren\\351'); exec "$0" "$1" ${command}`
  const args = ['-c', script, process.execPath, PROGRAM]
  const options = { env: { PATH: process.env['PATH'], ...operator() } }
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', args, options).catch(
    (error) => error,
  )
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: argument \d has bytes that are not UTF-8\./)
})

describe('posthorn migrate', () => {
  test('reports that the database is up to date', async () => {
    expect((await inDatabase('migrate')).stdout).toBe('The database is up to date.\n')
    expect(await jsonInDatabase('migrate')).toEqual({ applied: [] })
  })

  test('needs no encryption key, as a migration stores no secret; posthorn start does', async () => {
    await using blank = await createBlankDatabase()
    const { POSTHORN_ENCRYPTION_KEYS: _, ...environment } = testEnvironment(blank.url)
    const { code, stdout, stderr } = await runCommand(['migrate'], environment)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^Applied:/)
    expect(await unappliedMigrations(blank.pool)).toEqual([])
    const started = await runPosthorn(['start'], { environment })
    expect(started.code).toBe(78)
    expect(started.stderr).toContain('POSTHORN_ENCRYPTION_KEYS is required with DATABASE_URL')
  })

  test('without a reachable database, and with invalid settings, says what is wrong', async () => {
    const away = testEnvironment('postgres://posthorn@127.0.0.1:1/none')
    const unreachable = await refusal(['migrate'], away)
    expect(unreachable).toMatch(/^error: Cannot connect to Postgres .*DATABASE_URL.*\n$/)
    const wrong = { ...operator(), PORT: 'x', POSTHORN_CONCURENCY: '1' }
    const { code, stderr } = await runCommand(['migrate'], wrong)
    expect(code).toBe(78)
    expect(stderr).toContain('PORT is "x"')
    expect(stderr).toContain('Did you mean "POSTHORN_CONCURRENCY"?')
  })
})

describe('posthorn verify', () => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  const BODY = '{"test": 2432232314}'
  const AT = ['--at', '2021-02-25T15:02:10Z']

  async function verify(input: string | Uint8Array, signature: string, ...options: string[]) {
    const headers = path.join(dataDir, 'delivery.headers')
    const id = 'Webhook-Id: msg_p5jXN8AQM9LWM0D4loKWxJek\r\nWebhook-Timestamp: 1614265330\r\n'
    await writeFile(headers, `Accept: */*\r\n${id}Webhook-Signature: ${signature}\r\n`)
    const args = ['verify', '--secret', SECRET, '--headers', headers, ...options]
    return await runCommand(args, {}, { input })
  }

  test.each<[what: string, body: string, options: string[], code: number, stdout: RegExp]>([
    ['an authentic delivery', BODY, AT, 0, /^authentic: msg_p5jXN8AQM9LWM0D4loKWxJek\n$/],
    ['an old delivery', BODY, ['--json'], 1, /"ok":false,"reason":"timestamp-too-old"/],
    ['another body', `${BODY}\n`, [...AT, '--json'], 1, /"reason":"no-matching-signature"/],
  ])('%s', async (_what, body, options, code, stdout) => {
    const result = await verify(body, SIGNATURE, ...options)
    expect(result).toMatchObject({ code, stdout: expect.stringMatching(stdout) })
  })

  test.each([
    ['a time without a zone', ['--at', '2021-02-25 15:02:10'], 'Give an RFC 3339 time, such as'],
    ['a file that is missing', ['missing.json'], 'missing.json'],
  ])('%s is named', async (_what, options, message) => {
    const { code, stderr } = await verify(BODY, SIGNATURE, ...options)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  test('verifies bytes as they are: not UTF-8, and with a byte order mark', async () => {
    for (const bytes of [Buffer.from('{"name":"Ren\xe9"}', 'latin1'), Buffer.from('\ufeff{}')]) {
      const signature = await sign(SECRET, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', bytes)
      expect(await verify(bytes, signature, ...AT)).toMatchObject({ code: 0 })
    }
  })
})
