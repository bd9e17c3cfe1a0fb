import type { Database } from '../../src/db/client.ts'
import { createTenant } from './factories.ts'

export const DAY_MS = 86_400_000

/** Stores rows as of a time, without publishing. */
export interface PartitionRows {
  readonly organizationId: string
  readonly webhookId: string
  event(at: Date): Promise<string>
  delivery(at: Date, event: string, state: string): Promise<string>
  /** An attempt now, or at a time. */
  attempt(delivery: string, at?: Date): Promise<void>
  searchKey(event: string): Promise<void>
  /** The partition of a row, or undefined if there is none. */
  partitionOf(table: string, id: string): Promise<string | undefined>
  /** The number of rows of each table. */
  counts(): Promise<Record<string, number>>
}

export const TABLES = ['events', 'event_keys', 'deliveries', 'attempts'] as const

export async function openPartitionRows({ pool, prisma }: Database): Promise<PartitionRows> {
  const { organizationId } = await createTenant(prisma)
  const { id: webhookId } = await prisma.webhook.create({
    data: { organizationId, url: 'https://example.com/', eventSubscriptions: ['x'] },
  })
  return {
    organizationId,
    webhookId,

    async event(at) {
      const { rows } = await pool.query(
        `insert into posthorn.events (id, organization_id, type, occurred_at, data)
         values (posthorn.uuid_v7_lower_bound($1::timestamptz), $2, 'x', $1, '{}') returning id`,
        [at, organizationId],
      )
      return rows[0].id
    },

    async delivery(at, event, state) {
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

    async attempt(delivery, at) {
      await pool.query(
        `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
           duration_ms, status, request_url)
         values (coalesce(posthorn.uuid_v7_lower_bound($4::timestamptz), posthorn.uuid_v7()), $1, $2, $3, 1, now(),
           false, 1, 500, 'https://example.com/')`,
        [delivery, organizationId, webhookId, at ?? null],
      )
    },

    async searchKey(event) {
      await pool.query(
        `insert into posthorn.event_keys (organization_id, path, value, event_id) values ($1, 'id', '7', $2)`,
        [organizationId, event],
      )
    },

    async partitionOf(table, id) {
      const { rows } = await pool.query(
        `select tableoid::regclass::text as partition from posthorn.${table} where id = $1`,
        [id],
      )
      return rows[0]?.partition
    },

    async counts() {
      const { rows } = await pool.query(
        `select ${TABLES.map((table) => `(select count(*)::int from posthorn.${table}) as ${table}`).join(', ')}`,
      )
      return rows[0]
    },
  }
}
