import type { Sql } from '../../../src/db/client.ts'

/** All rows of the database that mutations can change. */
export async function allRows(sql: Sql) {
  const byId = [
    ...['webhooks', 'signing_secrets', 'organizations', 'alert_addresses', 'deliveries', 'events'],
    ...['bulk_tasks', 'incidents'],
  ]
  const { rows } = await sql.query(`
    select
      ${byId.map((table) => `(select json_agg(t order by t.id) from posthorn.${table} as t) as ${table},`).join('\n')}
      (select json_agg(t order by t.webhook_id) from posthorn.webhook_schedules as t) as schedules,
      (select json_agg(to_jsonb(t) - 'last_used_at' order by t.id) from posthorn.api_keys as t) as keys,
      (select json_agg(t order by t.name) from posthorn.event_types as t) as types,
      (select json_agg(t order by t.id) from graphile_worker.jobs as t) as jobs`)
  return rows[0]
}
