import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { runPage } from '../../src/bulk-tasks/continue-bulk-task.ts'
import { erase } from '../../src/bulk-tasks/start-erasure.ts'
import { openDatabase } from '../../src/db/client.ts'
import { parseId } from '../../src/db/ids.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { blockOf } from '../deploy/command-blocks.ts'
import { createPostgres, type InstalledPostgres } from '../deploy/installed-postgres.ts'
import { deliveryIds, deliveryRow } from '../graphql/support/rows.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { createTenant, subscribe } from '../support/factories.ts'
import { needs } from '../support/left-out.ts'
import { until } from '../support/until.ts'
import { tablesWith } from './search-everywhere.ts'

const TYPE = 'customer.updated'
const PATH = '$.email'
const ada = `ada-${randomUUID()}@example.org`
const bob = `bob-${randomUUID()}@example.org`

let folder: string
let postgres: InstalledPostgres

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-erasure-'))
  postgres = await createPostgres(folder)
  await postgres.start()
  await postgres.run('createdb posthorn')
})
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test(
  'what a restored dump brings back is erased again, by the same value',
  needs('pg_ctl'),
  async () => {
    const organizationId = await prepare()
    await postgres.run(blockOf('backups.md', 'pg_dump -Fc'))
    await eraseAda('posthorn', organizationId)
    expect(await tables('posthorn', ada)).toEqual([])

    await postgres.run('createdb restored')
    const restoring = blockOf('backups.md', 'pg_restore')
    await postgres.run(`DATABASE_URL=${postgres.urlOf('restored')}\n${restoring}`)
    const back = await tables('restored', ada)
    expect(back.map((name) => name.replace(/_\d{8}.*/, ''))).toEqual([
      ...['posthorn_partitions.attempts', 'posthorn_partitions.event_keys'],
      'posthorn_partitions.events',
    ])
    await eraseAda('restored', organizationId)
    expect(await tables('restored', ada)).toEqual([])
    expect(await tables('restored', bob)).toEqual(await tables('posthorn', bob))
  },
)

/** Each of two customers has an event, which a receiver has answered. */
async function prepare(): Promise<string> {
  await using database = openDatabase(postgres.urlOf('posthorn'))
  const { pool, prisma } = database
  await migrate(pool)
  await createEventType(prisma, { name: TYPE, description: 'Changed', searchKeys: [PATH] }, SYSTEM)
  const { organizationId, publicOrganizationId } = await createTenant(prisma)
  await subscribe(database, organizationId, [TYPE])
  for (const email of [ada, bob]) {
    await pool.query(`select posthorn.publish_event($1, '${TYPE}', $2)`, [
      publicOrganizationId,
      JSON.stringify({ email }),
    ])
    const [id = ''] = await deliveryIds(database, organizationId)
    await createRecordAttempt(
      pool,
      SENDER,
    )(
      attemptOf(await deliveryRow(database, id), 200, {
        responseHeaders: { 'x-customer': email },
        responseBody: Buffer.from(email),
      }),
    )
  }
  return organizationId
}

async function tables(name: string, text: string): Promise<string[]> {
  await using database = openDatabase(postgres.urlOf(name))
  return await tablesWith(database.pool, text)
}

async function eraseAda(name: string, organizationId: string): Promise<void> {
  await using database = openDatabase(postgres.urlOf(name))
  const { pool, prisma } = database
  const keyring = createKeyring([randomBytes(32)])
  const started = await erase(
    { prisma, sql: pool, webhooks: { keyring }, actor: SYSTEM },
    organizationId,
    { searchKey: { path: PATH, equals: ada }, unsent: 'cancel' },
  )
  expect(started.count).toBe(1)
  const uuid = parseId('bulkTask', started.taskId ?? '') ?? ''
  const run = async () => await runPage({ pool, keyring }, uuid)
  await until(async () => (await run()) === null, 'the erasure has ended')
}
