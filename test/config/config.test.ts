import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig, readEnvironment, SETTINGS } from '../../src/config/config.ts'
import { problemsOf } from './support.ts'

const external = {
  DATABASE_URL: 'postgres://u:hunter2@db/app',
  POSTHORN_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
}

test('.env.example and the configuration list the same settings with the same defaults', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value])
  expect(Object.fromEntries(listed)).toEqual(SETTINGS)
})

test('without settings it is the embedded mode, and durations are in milliseconds', () => {
  const { config, secrets } = loadConfig({})
  expect(config).toMatchObject({
    database: 'embedded',
    port: 4000,
    egressAllow: ['127.0.0.0/8', '::1/128'],
    retentionMs: 30 * 86_400_000,
    publicUrl: null,
    oidc: null,
  })
  expect(config.retryScheduleMs.slice(0, 3)).toEqual([5_000, 300_000, 1_800_000])
  expect(Object.values(secrets)).toEqual(Array(6).fill(null))
})

test('with DATABASE_URL no private address range is allowed by default', () => {
  expect(loadConfig(external).config.egressAllow).toEqual([])
})

test.each(['127.0.0.1', '127.8.8.8', '::1', 'localhost'])(
  'in embedded mode with HOST=%s deliveries may reach the loopback interface',
  (HOST) => {
    expect(loadConfig({ HOST }).config.egressAllow).toEqual(['127.0.0.0/8', '::1/128'])
  },
)

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com'])(
  'in embedded mode with HOST=%s deliveries reach no private address, unless a setting allows some',
  (HOST) => {
    expect(loadConfig({ HOST }).config.egressAllow).toEqual([])
    const allowed = loadConfig({ HOST, POSTHORN_EGRESS_ALLOW: '127.0.0.0/8' }).config
    expect(allowed.egressAllow).toEqual(['127.0.0.0/8'])
  },
)

test('with DATABASE_URL encryption keys are required, and the message says how to create one', () => {
  expect(() => loadConfig({ DATABASE_URL: external.DATABASE_URL })).toThrow(
    /POSTHORN_ENCRYPTION_KEYS is required.*openssl rand -base64 32/,
  )
})

test.each([
  ['postgres:///app?host=/var/run/postgresql', 'postgres:///app?host=/var/run/postgresql'],
  ['postgresql://u:p@/app?host=/run/pg', 'postgresql://u:p@localhost/app?host=/run/pg'],
  ['postgres://u:p@:6432/app?host=/run/pg', 'postgres://u:p@localhost:6432/app?host=/run/pg'],
  ['postgres://u@%2Frun%2Fpg/app', 'postgres://u@%2Frun%2Fpg/app'],
])('DATABASE_URL names a folder of sockets as psql does: %s', (given, expected) => {
  const { secrets } = loadConfig({ ...external, DATABASE_URL: given })
  expect(secrets.databaseUrl).toBe(expected)
})

test('with a direct URL, DATABASE_URL is the pooler', () => {
  const pooler = external.DATABASE_URL
  expect(loadConfig(external).secrets).toMatchObject({ databaseUrl: pooler, poolerUrl: null })
  const POSTHORN_DIRECT_DATABASE_URL = 'postgres://u:hunter2@direct/app'
  expect(loadConfig({ ...external, POSTHORN_DIRECT_DATABASE_URL }).secrets).toMatchObject({
    databaseUrl: POSTHORN_DIRECT_DATABASE_URL,
    poolerUrl: pooler,
  })
})

test('a direct URL without DATABASE_URL is rejected', () => {
  expect(problemsOf({ POSTHORN_DIRECT_DATABASE_URL: external.DATABASE_URL })).toEqual([
    'POSTHORN_DIRECT_DATABASE_URL needs DATABASE_URL: set DATABASE_URL to the transaction pooler, or only DATABASE_URL.',
  ])
})

test('a command that reads no secret needs no encryption keys, but rejects invalid ones', () => {
  const { DATABASE_URL } = external
  const options = { requireEncryptionKeys: false }
  expect(loadConfig({ DATABASE_URL }, options).secrets.encryptionKeys).toBeNull()
  expect(() => loadConfig({ DATABASE_URL, POSTHORN_ENCRYPTION_KEYS: 'x' }, options)).toThrow(
    /POSTHORN_ENCRYPTION_KEYS is not usable: .*32 bytes/,
  )
})

test('all problems are reported together', () => {
  const problems = problemsOf({
    ...external,
    PORT: '70000',
    POSTHORN_CONCURRENCY: 'many',
    POSTHORN_RETRY_SCHEDULE: '5s,soon',
    POSTHORN_CONCURENCY: '5',
  })
  expect(problems).toEqual([
    'POSTHORN_CONCURENCY is not a setting. Did you mean "POSTHORN_CONCURRENCY"?',
    expect.stringMatching(/^PORT is "70000": give a whole number from 0 to 65535/),
    expect.stringMatching(/^POSTHORN_CONCURRENCY is "many"/),
    expect.stringMatching(/^POSTHORN_RETRY_SCHEDULE is "5s,soon"/),
  ])
})

test('the variables of programs that call Posthorn are no settings, and no error', () => {
  const environment = { POSTHORN_URL: 'http://127.0.0.1:4000', POSTHORN_API_KEY: 'phk_x' }
  expect(() => loadConfig({ ...external, ...environment })).not.toThrow()
  expect(problemsOf({ ...external, POSTHORN_KEY: 'phk_x' })).toEqual([
    expect.stringContaining('POSTHORN_KEY is not a setting.'),
  ])
})

test.each(
  Object.entries({
    DATABASE_URL: ['mysql://x', 'postgres://u:p@one:5432,two:5432/app'],
    POSTHORN_DIRECT_DATABASE_URL: ['mysql://x'],
    HOST: [''],
    PORT: ['-1', '4000.5'],
    POSTHORN_PUBLIC_URL: [
      'https://webhooks.example.com/posthorn',
      'https://user@webhooks.example.com',
      'ftp://webhooks.example.com',
      'webhooks.example.com',
    ],
    POSTHORN_PORTAL_ORIGINS: [
      '*',
      'https://*.example.com;script-src',
      'https://app.example.com/',
      'null',
      'data:text/html,x',
    ],
    POSTHORN_TRUSTED_PROXIES: ['10.0.0.1', '10.0.0.0/8,everybody', 'true'],
    POSTHORN_DATA_DIR: [''],
    POSTHORN_WORKER_SCHEMA: [
      '',
      'Posthorn',
      'posthorn-worker',
      'w'.repeat(64),
      'posthorn',
      'public',
      'pg_jobs',
    ],
    POSTHORN_ENCRYPTION_KEYS: ['c2hvcnQ='],
    POSTHORN_CONCURRENCY: ['0'],
    POSTHORN_MAX_HEAP_MB: ['127', '16385', '256M'],
    POSTHORN_RETRY_SCHEDULE: [Array(51).fill('1s').join(), '8d'],
    POSTHORN_ATTEMPT_TIMEOUT: ['31s', '15'],
    POSTHORN_EGRESS_ALLOW: ['10.0.0.0', '10.0.0.0/33'],
    POSTHORN_EGRESS_PROXY: ['socks5://proxy'],
    POSTHORN_HEADER_PREFIX: ['WH-', 'wh'],
    POSTHORN_RETENTION: ['1h'],
    POSTHORN_KEEP_FAILED_JOBS: ['366d', '1'],
    POSTHORN_CORS_ORIGINS: ['https://app.example.com/path'],
    POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: ['no/such/file.json', 'README.md', 'package.json'],
    POSTHORN_MCP: ['on'],
    POSTHORN_LOG_LEVEL: ['loud'],
  }).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
)('an invalid value is rejected: %s=%s', (name, value) => {
  expect(problemsOf({ ...external, [name]: value })).toEqual([expect.stringContaining(name)])
})

describe('text of other editors', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'posthorn-config-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const write = (name: string, text: string, encoding: BufferEncoding = 'utf8') => {
    const file = path.join(folder, name)
    writeFileSync(file, text, encoding)
    return file
  }

  test('.env may begin with a byte order mark', () => {
    write('.env', '\ufeffPOSTHORN_HEADER_PREFIX=webhook-\r\nPORT=4001\r\n')
    expect(readEnvironment(folder)).toMatchObject({
      POSTHORN_HEADER_PREFIX: 'webhook-',
      PORT: '4001',
    })
  })

  test('a file of trusted documents may begin with a byte order mark, and must be UTF-8', () => {
    const documents = write('documents.json', '\ufeff{"a":"{ viewer { __typename } }"}')
    const { config } = loadConfig({ POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: documents })
    expect(config.graphqlTrustedDocuments).toEqual({ a: '{ viewer { __typename } }' })
    const latin1 = write('latin1.json', '{"a":"# caf\xe9"}', 'latin1')
    expect(problemsOf({ POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: latin1 })).toEqual([
      expect.stringContaining('it is not JSON in UTF-8: give the path of a JSON file'),
    ])
  })
})

test.each([
  [
    'POSTHORN_TRUSTED_PROXIES',
    '10.0.0.0/8, fd00::/8',
    { trustedProxies: ['10.0.0.0/8', 'fd00::/8'] },
  ],
  [
    'POSTHORN_PUBLIC_URL',
    'https://Webhooks.example.com/',
    { publicUrl: 'https://webhooks.example.com' },
  ],
  [
    'POSTHORN_PORTAL_ORIGINS',
    'https://app.example.com, http://127.0.0.1:3000',
    { portalOrigins: ['https://app.example.com', 'http://127.0.0.1:3000'] },
  ],
  ['POSTHORN_WORKER_SCHEMA', 'posthorn_worker', { workerSchema: 'posthorn_worker' }],
  ['POSTHORN_KEEP_FAILED_JOBS', '0s', { keepFailedJobsMs: 0 }],
  ['POSTHORN_RETRY_SCHEDULE', '', { retryScheduleMs: [] }],
])('%s=%s is parsed', (name, value, parsed) => {
  expect(loadConfig({ [name]: value }).config).toMatchObject(parsed)
})

test('several encryption keys keep their order', () => {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const text = keys.map((key) => key.toString('base64')).join(', ')
  expect(loadConfig({ POSTHORN_ENCRYPTION_KEYS: text }).secrets.encryptionKeys).toEqual(keys)
})

test('no message shows a secret', () => {
  const secret = 'hunter2-marker'
  const problems = problemsOf({
    DATABASE_URL: `mysql://u:${secret}@db`,
    POSTHORN_ENCRYPTION_KEYS: secret,
    POSTHORN_EGRESS_PROXY: `socks5://u:${secret}@proxy`,
  })
  expect(problems.join()).not.toContain(secret)
})

test('the configuration has no secret and is frozen', () => {
  const { config } = loadConfig({ ...external, POSTHORN_EGRESS_PROXY: 'http://u:hunter2@proxy' })
  expect(JSON.stringify(config)).not.toContain('hunter2')
  expect(Object.isFrozen(config)).toBe(true)
})
