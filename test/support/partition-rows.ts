import { beforeEach } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTenant } from './factories.ts'

export const DAY_MS = 86_400_000

type PartitionRows = Awaited<ReturnType<typeof openPartitionRows>>

export const TABLES = ['events', 'event_keys', 'deliveries', 'attempts'] as const

/** Rows of a database for each test. */
export function usePartitionRows(database: Database): PartitionRows {
  const rows = {} as PartitionRows
  beforeEach(async () => {
    Object.assign(rows, await openPartitionRows(database))
  })
  return rows
}

/** Stores rows as of a time, without publishing. */
export async function openPartitionRows({ pool, prisma }: Database) {
  const { organizationId } = await createTenant(prisma)
  const { id: webhookId } = await prisma.webhook.create({
    data: { organizationId, url: 'https://example.com/', eventSubscriptions: ['x'] },
  })
  return {
    organizationId,
    webhookId,

    async event(at: Date): Promise<string> {
      const { rows } = await pool.query(
        `insert into posthorn.events (id, organization_id, type, occurred_at, data)
         values (posthorn.uuid_v7_lower_bound($1::timestamptz), $2, 'x', $1, '{}') returning id`,
        [at, organizationId],
      )
      return rows[0].id
    },

    async delivery(at: Date, event: string, state: string): Promise<string> {
      const { rows } = await pool.query(
        `insert into posthorn.deliveries
           (id, organization_id, webhook_id, event_id, event_type, max_attempts, state, finished_at)
         values (posthorn.uuid_v7_lower_bound($1::timestamptz), $2, $3, $4, 'x', 10, $5::posthorn.delivery_state,
           case when $5 = 'pending' then null else now() end)
         returning id`,
        [at, organizationId, webhookId, event, state],
      )
      return rows[0].id
    },

    /** Events, one a millisecond from a time on, with a delivery each. The first ones are pending. */
    async many(count: number, from: Date, { characters = 1, pending = count } = {}) {
      await pool.query(
        `with event as (
           insert into posthorn.events (id, organization_id, type, occurred_at, data)
           select posthorn.uuid_v7_lower_bound($3::timestamptz + n * interval '1 millisecond'), $1, 'x', now(),
             to_json(repeat('x', $5))
           from generate_series(1, $4::int) as n returning id
         )
         insert into posthorn.deliveries
           (id, organization_id, webhook_id, event_id, event_type, max_attempts, state, finished_at)
         select id, $1, $2, id, 'x', 10, (case when n <= $6 then 'pending' else 'succeeded' end)::posthorn.delivery_state,
           case when n <= $6 then null else now() end
         from (select id, row_number() over (order by id) as n from event) as e`,
        [organizationId, webhookId, from, count, characters, pending],
      )
    },

    /** An attempt now, or at a time. */
    async attempt(delivery: string, at?: Date) {
      await pool.query(
        `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
           duration_ms, status, request_url)
         values (coalesce(posthorn.uuid_v7_lower_bound($4::timestamptz), posthorn.uuid_v7()), $1, $2, $3, 1, now(),
           false, 1, 500, 'https://example.com/')`,
        [delivery, organizationId, webhookId, at ?? null],
      )
    },

    async searchKey(event: string) {
      await pool.query(
        `insert into posthorn.event_keys (organization_id, path, value, event_id) values ($1, 'id', '7', $2)`,
        [organizationId, event],
      )
    },

    /** The partition of a row, or undefined if there is none. */
    async partitionOf(table: string, id: string): Promise<string | undefined> {
      const { rows } = await pool.query(
        `select tableoid::regclass::text as partition from posthorn.${table} where id = $1`,
        [id],
      )
      return rows[0]?.partition
    },

    /** The number of rows of each table. */
    async counts(): Promise<Record<string, number>> {
      const { rows } = await pool.query(
        `select ${TABLES.map((table) => `(select count(*)::int from posthorn.${table}) as ${table}`).join(', ')}`,
      )
      return rows[0]
    },
  }
}
