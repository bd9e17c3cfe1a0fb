import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/auth/encryption/keyring.ts'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { LEFT_OUT } from '../../../src/organizations/export/exported-tables.ts'
import { readExport } from '../../../src/organizations/export/read-export.ts'
import { writeExport } from '../../../src/organizations/export/write-export.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { useTestApp } from '../../support/app.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTestDatabase, PATIENT, useTestDatabase } from '../../support/database.ts'
import { createTenant } from '../../support/factories.ts'
import { fillDeliveries } from '../../support/many-deliveries.ts'
import { dropChecks, fillOrganization } from '../deletion/support/fill-organization.ts'

const MARKER = 'marker-of-the-export'
const COUNT = 700
const LINES = 'a line\nanother line, and the separators \u2028 and \u2029'

let full: Awaited<ReturnType<typeof createTenant>>
let all: string[]

const posthorn = await useTestApp({ role: 'api', database: await useTestDatabase() })

beforeAll(async () => {
  const { prisma, pool } = posthorn.database
  full = await createTenant(prisma)
  const headers = [{ name: 'X-Key', value: 'a-secret-header' }]
  await createWebhook(posthorn, 'https://example.com/hook', { headers, enabled: false })
  await fillDeliveries(pool, full.organizationId, COUNT)
  await dropChecks(pool)
  await fillOrganization(pool, full.organizationId, MARKER)
  await pool.query('update posthorn.organizations set name = $1', [LINES])
  await pool.query(`update posthorn.event_types set schema = $1, version = version + 1`, [
    '{\n  "type": "object",\n  "maximum": 12345678901234567890.10\n}',
  ])
  await pool.query('update posthorn.settings set operator_organization_id = $1', [
    full.organizationId,
  ])
  await pool.query(
    `insert into posthorn.bulk_tasks (organization_id, action, selection, total, total_is_exact)
     values (gen_random_uuid(), 'delete_organization', '{"requestedBy":"ada"}', 0, false)`,
  )
  await pool.query(`select nextval('posthorn.stream_positions') from generate_series(1, 7)`)
  all = await exported(pool)
})

async function exported(pool: Database['pool'], organization: string | null = null) {
  const chunks: Buffer[] = []
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  await writeExport(pool, organization, output)
  return Buffer.concat(chunks).toString().split('\n').slice(0, -1)
}

/** Without its checks, as filled rows break them. */
async function emptyDatabase(): Promise<Database> {
  const database = await createTestDatabase()
  await dropChecks(database.pool)
  return database
}

async function imported(
  { pool }: Database,
  lines: readonly string[],
  keyring = posthorn.services.webhooks.keyring,
) {
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_537) }, (_, i) =>
    bytes.subarray(i * 65_537, (i + 1) * 65_537),
  )
  return await readExport(pool, keyring, Readable.from(chunks))
}

/** The jobs of an import change when the jobs of its deliveries were written. */
const withoutJobTimes = (lines: readonly string[]) =>
  lines.map((line) =>
    line.replace(/"job_written_at":"[^"]+"/, '').replace(/"redelivery_requested":\w+/, ''),
  )

describe('an export of all', () => {
  test('has every row of every table but those that are left out', async () => {
    const { pool } = posthorn.database
    const { rows: tables } = await pool.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and relname !~ '^_'`,
    )
    const counted = new Map<string, number>()
    for (const line of all.slice(1, -1)) {
      const { table } = JSON.parse(line)
      counted.set(table, (counted.get(table) ?? 0) + 1)
    }
    const stored = new Map<string, number>()
    for (const { name } of tables) {
      if (!(name in LEFT_OUT)) stored.set(name, await countRows(pool, `posthorn.${name}`))
    }
    expect([...stored].filter(([, count]) => count === 0)).toEqual([])
    expect(new Map([...counted].toSorted())).toEqual(new Map([...stored].toSorted()))
    const names = tables.map(({ name }) => name)
    expect(Object.keys(LEFT_OUT).filter((name) => !names.includes(name))).toEqual([])
  })

  test('is imported to the letter into an empty installation, with a job for each delivery that needs one', async () => {
    await using database = await emptyDatabase()
    expect(await imported(database, all)).toBe(all.length - 2)
    expect(withoutJobTimes(await exported(database.pool))).toEqual(withoutJobTimes(all))
    const count = (from: string) => countRows(database.pool, from)
    const pending = await count(`posthorn.deliveries where state = 'pending' and parked_at is null`)
    expect(pending).toBeGreaterThan(0)
    const jobs = 'graphile_worker.jobs where task_identifier'
    expect(await count(`${jobs} = 'posthorn:deliver'`)).toBe(pending)
    expect(await count(`${jobs} <> 'posthorn:deliver'`)).toBe(0)
    expect(await count('posthorn_partitions.deliveries_default')).toBe(0)
  })
})

test('an export of one organization has nothing of others, and is imported alone', async () => {
  const { tenant, database } = posthorn
  const lines = await exported(database.pool, tenant.publicOrganizationId)
  const text = lines.join('\n')
  expect(text).not.toContain(MARKER)
  expect(text).not.toContain(full.organizationId)
  expect(text).toContain('https://example.com/hook')
  expect(text).not.toContain('a-secret-header')
  await using empty = await createTestDatabase()
  await imported(empty, lines)
  expect(await exported(empty.pool, tenant.publicOrganizationId)).toEqual(lines)

  const ofFull = await exported(database.pool, full.publicOrganizationId)
  expect(ofFull.filter((line) => line.includes(MARKER)).length).toBeGreaterThan(18)
  const other = tenant.organizationId
  expect(ofFull.filter((line) => line.includes(other))).toEqual([])
  await using alsoEmpty = await emptyDatabase()
  expect(await imported(alsoEmpty, ofFull)).toBe(ofFull.length - 2)

  for (const id of ['org_x', 'wh_x']) {
    await expect(exported(database.pool, id)).rejects.toThrow(/There is no organization/)
  }
})

describe('an import refuses, and changes nothing:', () => {
  let database: Database
  let before: string[]
  /** Small, of one organization. */
  let lines: string[]
  beforeAll(async () => {
    lines = await exported(posthorn.database.pool, posthorn.tenant.publicOrganizationId)
    database = await emptyDatabase()
    before = await exported(database.pool)
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const header = () => JSON.parse(lines[0] ?? '')
  const position = () => lines.findIndex((line) => line.startsWith('{"table":"webhooks"'))

  test.each<[string, () => string[], RegExp]>([
    ['another file', () => ['{"id":"evt_x"}'], /^Line 1 is not the header of an export/],
    [
      'a file of another version',
      () => [JSON.stringify({ ...header(), posthorn: '0.0.1' }), ...lines.slice(1)],
      /^The file is of Posthorn 0\.0\.1, and this is Posthorn \d/,
    ],
    [
      'a file with other columns',
      () => {
        const { tables, ...rest } = header()
        const changed = { ...tables, webhooks: [...tables.webhooks, 'color'] }
        return [JSON.stringify({ ...rest, tables: changed }), ...lines.slice(1)]
      },
      /^The file has other tables or columns/,
    ],
    ['a file that breaks off', () => lines.slice(0, -1), /is not complete/],
    ['a file that lacks a line', () => lines.toSpliced(-2, 1), /is not complete/],
    ['lines after the end', () => [...lines, lines[1] ?? ''], /^Line \d+ is no row of an export/],
    [
      'a broken line',
      () => lines.with(position(), (lines[position()] ?? '').slice(0, 40)),
      /^Line N is no row of an export/,
    ],
    [
      'a row that Postgres rejects',
      () => lines.with(position(), '{"table":"webhooks","row":{"id":"nonsense"}}'),
      /^A row of webhooks before line \d+ cannot be imported: invalid input syntax for type uuid/,
    ],
  ])('%s', async (_name, wrong, message) => {
    const number = String(position() + 1)
    const pattern = new RegExp(message.source.replace('N ', `${number} `))
    await expect(imported(database, wrong())).rejects.toThrow(pattern)
    expect(await exported(database.pool)).toEqual(before)
  })

  test('a file whose secrets the encryption keys do not decrypt, and any file, if there is an organization', async () => {
    const keyring = createKeyring([Buffer.alloc(32, 77)])
    await expect(imported(database, lines, keyring)).rejects.toThrow(
      /^POSTHORN_ENCRYPTION_KEYS lacks the key/,
    )
    expect(await exported(database.pool)).toEqual(before)
    await expect(imported(posthorn.database, lines)).rejects.toThrow(
      /^The installation has organizations/,
    )
  })
})

test('a role from which row-level security could hide rows neither exports nor imports', async () => {
  await using database = await createTestDatabase()
  const { pool, url } = database
  const role = `reader_${Date.now()}`
  await pool.query(`create role ${role} login password 'x'`)
  await pool.query(`grant usage on schema posthorn to ${role}`)
  await pool.query(`grant select on all tables in schema posthorn to ${role}`)
  const own = new URL(url)
  own.username = role
  own.password = 'x'
  {
    await using reader = openDatabase(own.href, PATIENT)
    await expect(exported(reader.pool)).rejects.toThrow(/does not own the table posthorn\./)
  }
  await pool.query(`drop owned by ${role}; drop role ${role}`)
})
