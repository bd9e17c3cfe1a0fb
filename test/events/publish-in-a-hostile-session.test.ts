import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import type { Database, Sql } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { hostUrl } from '../support/host-url.ts'
import { createHostileDatabase } from '../support/hostile-database.ts'
import { HOSTILE_FOR_A_HOST, HOSTILE_SETTINGS } from '../support/hostile-settings.ts'

/** These refuse the statements of a host, or end its session, with or without Posthorn. */
const REFUSING = [
  'default_transaction_read_only',
  'statement_timeout',
  'lock_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
]

/** The application has functions of its own, in a schema before that of Postgres. */
const SHADOWS = `
  create schema hostile;
  create function hostile.now() returns timestamptz language sql return '-infinity'::timestamptz;
  create function hostile.lower(text) returns text language sql return 'shadowed';
  create function hostile.json_typeof(json) returns text language sql return 'shadowed'`

const ORDER = 'order.paid'

let database: Database
/** The session of a host application, which sets nothing for itself. */
let host: pg.Client
let tenant: Awaited<ReturnType<typeof createTenant>>

beforeAll(async () => {
  const settings = Object.entries(HOSTILE_SETTINGS).filter(([name]) => !REFUSING.includes(name))
  database = await createHostileDatabase({ settings: Object.fromEntries(settings) })
  tenant = await createTenant(database.prisma)
  const searchKeys = ['$.order.id', '$.items[0].sku']
  const order = { name: ORDER, description: 'An order', searchKeys }
  await createEventType(database.prisma, order, SYSTEM)
  await subscribe(database, tenant.organizationId, [JOINED, ORDER])
  await database.pool.query(SHADOWS)
  host = new pg.Client({ connectionString: hostUrl(database.url) })
  await host.connect()
  await host.query(
    `select set_config(key, value, false) from json_each_text($1)
     where current_setting(key, true) is not null or starts_with(key, 'plpgsql.')`,
    [JSON.stringify(HOSTILE_FOR_A_HOST)],
  )
})
afterAll(async () => {
  await host.end()
  await database[Symbol.asyncDispose]()
})

const AT = '2026-03-08T02:30:00.123456-05:00'
const DATA = '{"order": {"id": 12.50}, "items": [{"sku": "A\\\\u0000\\ud800"}], "text":"\\u00e4"}'
const event = (fields: string) => `[{"type":"${ORDER}","data":${DATA}${fields}}]`

test.each<[string, string, unknown[]]>([
  ['publish_events of text', 'publish_events($1, $2::text)', [event('')]],
  ['publish_events of json', 'publish_events($1, $2::json)', [event(`,"timestamp":"${AT}"`)]],
  ['publish_event of text', 'publish_event($1, $2, $3::text)', [ORDER, DATA]],
  [
    'publish_event of json with a time',
    'publish_event($1, $2, $3::json, occurred_at => $4::timestamptz)',
    [ORDER, DATA, AT],
  ],
  [
    'publish_event of jsonb with a time',
    'publish_event($1, $2, $3::jsonb, occurred_at => $4::timestamptz)',
    [ORDER, '{"order": {"id": 7.0}}', AT],
  ],
])('%s stores the same for a host as for Posthorn', async (_name, call, values) => {
  expect(await publish(host, call, values)).toEqual(await publish(database.pool, call, values))
})

async function publish(sql: Sql, call: string, values: unknown[]) {
  const { rows: published } = await sql.query(`select * from posthorn.${call}`, [
    tenant.publicOrganizationId,
    ...values,
  ])
  const [{ event_id: id, ...rest }] = published
  const { rows } = await database.pool.query(
    `select e.type, e.data, abs(extract(epoch from e.occurred_at - now())) < 60 as "occurredNow",
       extract(epoch from e.occurred_at)::text = $2 as "occurredThen",
       array(select path || ' ' || value from posthorn.event_keys where event_id = e.id order by path) as keys,
       d.state, d.max_attempts, j.attempts, j.max_attempts as job_attempts,
       abs(extract(epoch from j.run_at - now())) < 60 as due
     from posthorn.events as e join posthorn.deliveries as d on d.event_id = e.id
     join graphile_worker.jobs as j on j.key = posthorn.type_id('msg', d.id)
     where e.id = posthorn.parse_type_id('evt', $1)`,
    [id, '1772955000.123456'],
  )
  expect(rows).toHaveLength(1)
  expect(rows[0].occurredNow || rows[0].occurredThen).toBe(true)
  return [rest, rows]
}
