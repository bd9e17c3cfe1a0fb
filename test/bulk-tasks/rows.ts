import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import { createSteps } from '../../src/bulk-tasks/steps.ts'
import type { Database, Sql } from '../../src/db/client.ts'
import type { BulkTask } from '../../src/db/generated/prisma/client.ts'
import { parseId } from '../../src/db/ids.ts'
import { continueWork } from '../../src/queue/long-work.ts'
import { JOINED } from '../support/factories.ts'
import { createPartitions } from '../support/maintain-partitions.ts'

const RETENTION_DAYS = 30

/** Creates the partitions of past days within retention, which a new database does not have. */
export async function createPartitionsOfRetention(sql: Sql): Promise<void> {
  await createPartitions(sql, `current_date - ${RETENTION_DAYS + 1}`, 'current_date + 1')
}

interface PastEvents {
  readonly count?: number
  /** The time of the first event. Each further event is a millisecond later. */
  readonly at: Date
  readonly type?: string
  readonly isTest?: boolean
}

/** Inserts events without deliveries, and returns their uuids in order. */
export async function addEvents(
  sql: Sql,
  organizationId: string,
  { count = 1, at, type = JOINED, isTest = false }: PastEvents,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data, is_test)
     select ${randomTail('posthorn.uuid_v7_lower_bound(event.at)')}, $1, $2, event.at,
       '{"n":' || i || '}', $5
     from (
       select i, $3::timestamptz + i * interval '1 millisecond' as at from generate_series(0, $4::int - 1) as i
     ) as event
     returning id`,
    [organizationId, type, at, count, isTest],
  )
  return rows.map(({ id }) => id).sort()
}

/** Inserts a delivery of each event, created with the event, and returns the uuids in order. */
export async function addDeliveries(
  sql: Sql,
  webhookId: string,
  eventUuids: readonly string[],
  state: 'pending' | 'succeeded' | 'exhausted' | 'canceled',
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, state, attempt_count,
       schedule_position, max_attempts, finished_at, is_test)
     select ${randomTail('e.id')}, e.organization_id, $1, e.id, e.type,
       $3::posthorn.delivery_state, 4, 4, 4, case when $3 <> 'pending' then now() end, e.is_test
     from posthorn.events as e where e.id = any ($2::uuid[])
     returning id`,
    [parseId('webhook', webhookId), eventUuids, state],
  )
  return rows.map(({ id }) => id).sort()
}

const randomTail = (uuid: string) =>
  `overlay(${uuid}::text placing right(gen_random_uuid()::text, 12) from 25)::uuid`

/** Only erasures decrypt. */
export const workDeps = (
  { background }: Pick<Database, 'background'>,
  keyring = createKeyring([randomBytes(32)]),
) => ({ pool: background, steps: createSteps(keyring) })

/** Runs a job of a task, whose next page need not wait. */
export async function runJob(database: Database, uuid: string) {
  await database.prisma.bulkTask.update({ where: { id: uuid }, data: { nextPageAt: new Date() } })
  await continueWork(workDeps(database), uuid, undefined, () => {})
}

/** Runs a task until it has changed its deliveries, as its jobs do. */
export async function finish(database: Database, uuid: string): Promise<BulkTask> {
  for (;;) {
    const task = await database.prisma.bulkTask.findUniqueOrThrow({ where: { id: uuid } })
    if (task.state !== 'running') return task
    await continueWork(workDeps(database), uuid, undefined, () => {})
    await sleep(20)
  }
}
