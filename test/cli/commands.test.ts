import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { unappliedMigrations } from '../../src/migrate/applied-migrations.ts'
import { sign } from '../../src/receiver/index.ts'
import { testEnvironment } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { PROGRAM, runPosthorn } from '../support/posthorn-process.ts'

let database: Database
let organization: string

beforeAll(async () => {
  database = await createTestDatabase()
  organization = (await createTenant(database.prisma)).publicOrganizationId
})
afterAll(async () => await database[Symbol.asyncDispose]())

describe('posthorn migrate', () => {
  test('reports that the database is up to date', async () => {
    expect(await posthorn('migrate')).toMatchObject({
      code: 0,
      stdout: 'The database is up to date.\n',
    })
    expect(await json('migrate', '--json')).toEqual({ applied: [] })
  })

  test('needs no encryption key, as a migration stores no secret; posthorn start does', async () => {
    await using blank = await createBlankDatabase()
    const { POSTHORN_ENCRYPTION_KEYS: _, ...environment } = testEnvironment(blank.url)
    const { code, stdout, stderr } = await runPosthorn(['migrate'], { environment })
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^Applied:/)
    expect(await unappliedMigrations(blank.pool)).toEqual([])
    const started = await runPosthorn(['start'], { environment })
    expect(started.code).toBe(78)
    expect(started.stderr).toContain('POSTHORN_ENCRYPTION_KEYS is required with DATABASE_URL')
  })

  test('without a reachable database fails with an error of one line', async () => {
    const { code, stderr } = await runPosthorn(['migrate'], {
      environment: testEnvironment('postgres://posthorn@127.0.0.1:1/none'),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: Cannot connect to Postgres .*Check DATABASE_URL/)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('with invalid settings names all of them', async () => {
    const { code, stderr } = await runPosthorn(['migrate'], {
      environment: { ...testEnvironment(database.url), PORT: 'x', POSTHORN_CONCURENCY: '1' },
    })
    expect(code).toBe(78)
    expect(stderr).toContain('PORT is "x"')
    expect(stderr).toContain('Did you mean "POSTHORN_CONCURRENCY"?')
  })
})

test('posthorn organization list prints the organizations, oldest first', async () => {
  const { id, created_at } = await json('organization', 'create', 'Winter Fair', '--json')
  expect(id).toMatch(/^org_/)
  expect(created_at).toMatch(/Z$/)
  const labels = ['--metadata', 'season=spring', '--metadata', 'formula=a=b']
  const { id: secondId } = await json(
    ...['organization', 'create', 'Spring Fair', '--uid', 'spring', ...labels, '--json'],
  )
  const listed = await json('organization', 'list', '--json')
  const created = listed.filter((one: { id: string }) => [id, secondId].includes(one.id))
  expect(created).toEqual([
    { id, name: 'Winter Fair', uid: null, metadata: {}, created_at },
    {
      id: secondId,
      name: 'Spring Fair',
      uid: 'spring',
      metadata: { season: 'spring', formula: 'a=b' },
      created_at: expect.stringMatching(/Z$/),
    },
  ])
  const { stdout } = await posthorn('organization', 'list')
  expect(stdout).toContain(`${id}  Winter Fair\n`)
  expect(stdout).toContain(`${secondId}  Spring Fair  (uid spring)\n`)
  const broken = await posthorn('organization', 'create', 'Fair', '--metadata', 'season')
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('team=payments') })
})

describe('posthorn key', () => {
  test('create prints the token once, list shows the key without its token, revoke revokes it', async () => {
    const created = await json(
      ...[
        'key',
        'create',
        '--organization',
        organization,
        '--scope',
        'webhooks:read',
        'webhooks:write',
      ],
      ...['--expires', '90d', '--name', 'Partner', '--json'],
    )
    expect(created).toEqual({
      id: expect.stringMatching(/^key_/),
      token: expect.stringMatching(/^phk_[0-9A-Za-z]{49}$/),
    })

    const listed = await posthorn('key', 'list', '--organization', organization, '--json')
    expect(listed.stdout).not.toContain(created.token)
    const key = JSON.parse(listed.stdout).find((one: { id: string }) => one.id === created.id)
    expect(key).toMatchObject({
      organization,
      name: 'Partner',
      scopes: ['webhooks:read', 'webhooks:write'],
      revoked_at: null,
    })
    const days = (Date.parse(key.expires_at) - Date.parse(key.created_at)) / 86_400_000
    expect(days).toBeCloseTo(90, 1)

    expect(await json('key', 'revoke', created.id, '--json')).toEqual({
      id: created.id,
      revoked_at: expect.stringMatching(/Z$/),
    })
    expect((await posthorn('key', 'list')).stdout).toMatch(new RegExp(`${created.id}.*revoked`))
  })

  test.each([
    ['an invalid duration', ['--scope', 'admin', '--expires', 'soon'], /such as 500ms, 15s/],
    ['no scope', [], /required option '--scope/],
  ])('create with %s is rejected', async (_case, args, message) => {
    const { code, stdout, stderr } = await posthorn(
      'key',
      'create',
      '--organization',
      organization,
      ...args,
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('posthorn publish', () => {
  test('reads its data from standard input, and publishes once for an idempotency key', async () => {
    const args = [
      'publish',
      '--organization',
      organization,
      JOINED,
      '-',
      '--idempotency-key',
      'k',
      '--json',
    ]
    const first = JSON.parse((await posthornWith('{"n":2}', ...args)).stdout)
    expect(first).toEqual({ id: expect.stringMatching(/^evt_/), deliveries: 0, duplicate: false })
    const second = JSON.parse((await posthornWith('{"n":2}', ...args)).stdout)
    expect(second).toEqual({ ...first, duplicate: true })
  })

  test.each(['-', 'as an argument'])(
    'keeps its data to the letter, without a byte order mark and the space around it: %s',
    async (how) => {
      const args = ['publish', '--organization', organization, JOINED]
      const text = `\ufeff ${TO_THE_LETTER}\n`
      const { stdout, stderr } = await (how === '-'
        ? posthornWith(text, ...args, '-', '--json')
        : posthorn(...args, text, '--json'))
      expect(stderr).toBe('')
      expect(await storedData(JSON.parse(stdout).id)).toBe(TO_THE_LETTER)
    },
  )

  test('keeps --previous to the letter, and rejects what is not JSON', async () => {
    const args = ['publish', '--organization', organization, JOINED, '{}', '--previous']
    const { id } = await json(...args, ` ${TO_THE_LETTER}\n`, '--json')
    const { rows } = await database.pool.query(
      `select previous from posthorn.events where id = posthorn.parse_type_id('evt', $1)`,
      [id],
    )
    expect(rows).toEqual([{ previous: TO_THE_LETTER }])
    const { code, stderr } = await posthorn(...args, '{n:1}')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^error: --previous is not JSON: .* Quote it for the shell\.\n$/,
      ),
    })
  })

  test('compares its data to the letter with that of the first use of a key, also with that of SQL', async () => {
    const args = ['publish', '--organization', organization, JOINED, '--idempotency-key', 'letter']
    const text = '{ "amount": 10.50 }'
    const { rows } = await database.pool.query(
      'select event_id as id from posthorn.publish_event($1, $2, $3::text, $4)',
      [organization, JOINED, text, 'letter'],
    )
    expect(await json(...args, text, '--json')).toMatchObject({ id: rows[0].id, duplicate: true })
    const { code, stderr } = await posthorn(...args, '{"amount":10.5}')
    expect(code).toBe(1)
    expect(stderr).toContain('idempotencyKey was used for another event')
  })

  test('rejects data that is not UTF-8, and publishes nothing', async () => {
    const before = await database.prisma.event.count()
    const latin1 = Buffer.from('{"name":"Ren\xe9"}', 'latin1')
    const args = ['publish', '--organization', organization, JOINED, '-']
    expect(await posthornWith(latin1, ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: <json> is not UTF-8\. Convert it.*iconv/),
    })
    const utf16 = Buffer.from('\ufeff{"name":"Ada"}', 'utf16le')
    expect((await posthornWith(utf16, ...args)).stderr).toMatch(/^error: <json> is not UTF-8\./)
    expect(await database.prisma.event.count()).toBe(before)
  })

  test.each([
    [
      'a time without a zone',
      [JOINED, '{}', '--timestamp', '2026-01-31T12:00:00'],
      /timestamp must be an RFC 3339 time/,
    ],
    [
      'a time with a five-digit year',
      [JOINED, '{}', '--timestamp', '+010000-01-01T00:00:00Z'],
      /timestamp must be an RFC 3339 time/,
    ],
  ])('%s is rejected', async (_case, args, message) => {
    const { code, stderr } = await posthorn('publish', '--organization', organization, ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})

test.skipIf(process.platform === 'win32').each([
  ['organization create', 'organization create "$bytes"'],
  ['key create', 'key create --scope webhooks:read --name "$bytes"'],
  ['publish', `publish ${JOINED} "{\\"name\\":\\"$bytes\\"}"`],
])('an argument of %s that is not UTF-8 is rejected', async (_what, command) => {
  const script = `bytes=$(printf 'Ren\\351'); exec "$0" "$1" ${command}`
  const { stdout, stderr } = await promisify(execFile)(
    '/bin/sh',
    ['-c', script, process.execPath, PROGRAM],
    { env: { PATH: process.env['PATH'], ...testEnvironment(database.url) } },
  ).catch((error) => error)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^error: argument \d has bytes that are not UTF-8\./)
})

/** What parsers and printers of JSON change: numbers, the order of keys, repeated keys, escapes and white space. */
const TO_THE_LETTER = String.raw`{ "amount": 10.50, "one": 1.0, "zero": -0, "e": 1E5, "pi": 3.141592653589793238,
  "b": 1, "1": 2, "slash": "\/", "letter": "\u00e9é", "a": 1, "a": 2 }`

async function storedData(id: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ data: string }>(
    'select data from posthorn.events where id = posthorn.parse_type_id($1, $2)',
    ['evt', id],
  )
  return rows[0]?.data
}

test('without --organization, the only organization is used', async () => {
  await using others = await createTestDatabase()
  const { organizationId, publicOrganizationId } = await createTenant(others.prisma)
  const run = (...args: string[]) => runPosthorn(args, { environment: testEnvironment(others.url) })
  expect(await run('publish', JOINED, '{}', '--json')).toMatchObject({ code: 0 })
  expect(await others.prisma.event.findMany()).toMatchObject([{ organizationId }])
  const created = await run('key', 'create', '--scope', 'webhooks:read', '--json')
  const listed = JSON.parse((await run('key', 'list', '--json')).stdout)
  expect(listed).toContainEqual(
    expect.objectContaining({
      id: JSON.parse(created.stdout).id,
      organization: publicOrganizationId,
    }),
  )
})

describe('posthorn verify', () => {
  const delivery = [
    ...['--secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ...['--id', 'msg_p5jXN8AQM9LWM0D4loKWxJek', '--timestamp', '1614265330'],
    ...['--signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  ]
  const body = '{"test": 2432232314}'

  test('an authentic delivery is accepted at its time', async () => {
    const { code, stdout } = await posthornWith(
      body,
      'verify',
      ...delivery,
      '--at',
      '2021-02-25T15:02:10Z',
    )
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'authentic: msg_p5jXN8AQM9LWM0D4loKWxJek\n',
    })
  })

  test('an old delivery is rejected with the reason', async () => {
    const { code, stdout } = await posthornWith(body, 'verify', ...delivery, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, reason: 'timestamp-too-old' })
  })

  test('a time without a zone is rejected with the form of a time', async () => {
    const args = [...delivery, '--at', '2021-02-25 15:02:10']
    const { code, stderr } = await posthornWith(body, 'verify', ...args)
    expect(code).toBe(1)
    expect(stderr).toContain('Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.')
  })

  test('another body is rejected', async () => {
    const at = ['--at', '2021-02-25T15:02:10Z', '--json']
    const { code, stdout } = await posthornWith(`${body}\n`, 'verify', ...delivery, ...at)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, reason: 'no-matching-signature' })
  })

  test('verifies bytes as they are: not UTF-8, and with a byte order mark', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const args = ['verify', '--secret', secret, '--id', 'msg_1', '--timestamp', '1614265330']
    for (const bytes of [Buffer.from('{"name":"Ren\xe9"}', 'latin1'), Buffer.from('\ufeff{}')]) {
      const signature = await sign(secret, 'msg_1', '1614265330', bytes)
      const at = ['--signature', signature, '--at', '2021-02-25T15:02:10Z', '--json']
      const { stdout } = await posthornWith(bytes, ...args, ...at)
      expect(JSON.parse(stdout)).toMatchObject({ ok: true, id: 'msg_1' })
    }
  })

  test('the error for a missing file names the file', async () => {
    const { code, stderr } = await posthorn('verify', ...delivery, 'missing.json')
    expect(code).toBe(1)
    expect(stderr).toContain('missing.json')
  })
})

test.each([
  [[], ['start', 'migrate', 'organization', 'key', 'publish', 'listen', 'verify']],
  [['key'], ['create', 'list', 'revoke', 'rotate-encryption']],
  [['organization'], ['create', 'list', 'delete', 'retention']],
])('posthorn %j --help lists its commands', async (command, listed) => {
  const { code, stdout } = await posthorn(...command, '--help')
  expect(code).toBe(0)
  for (const name of listed) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
})

test('an unknown command is rejected with a suggestion', async () => {
  const { code, stderr } = await posthorn('pubish')
  expect(code).toBe(1)
  expect(stderr).toMatch(/Did you mean publish/)
})

async function posthorn(...args: string[]) {
  return await posthornWith('', ...args)
}

async function posthornWith(input: string | Uint8Array, ...args: string[]) {
  return await runPosthorn(args, { input, environment: testEnvironment(database.url) })
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await posthorn(...args)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}
