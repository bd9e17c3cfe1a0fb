import { expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { attemptTopic, finishedTopic } from '../../src/deliveries/live.graphql.ts'
import { News } from '../../src/streams/live/news.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { backfillAll, fillDeliveries, fillSearchKeys } from '../support/many-deliveries.ts'
import { useApi } from './support/api.ts'
import { readsWithoutIndex } from './support/plans.ts'

/*
 * 200,000 deliveries of one organization. These tests check the query plans: every page comes from an index in its
 * order.
 */
const COUNT = 200_000
const PAGES = 5

const api = await useApi('own')
const tenant = await api.tenant()
const { pool } = api.database
const { webhooks } = await fillDeliveries(pool, tenant.organizationId, COUNT)
await fillSearchKeys(pool, tenant.organizationId)
await pool.query(
  `insert into posthorn.audit_log (organization_id, source, action, subject_id)
   select organization_id, 'cli', 'delivery.redelivered', posthorn.type_id('msg', id)
   from posthorn.deliveries order by md5(id::text) limit 300`,
)
await pool.query(
  'vacuum (analyze) posthorn.events, posthorn.event_keys, posthorn.deliveries, posthorn.attempts',
)
await backfillAll(pool)
const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const [busy = '', quiet = '', idle = ''] = webhooks.map((uuid) => publicId('webhook', uuid))
const variables: Record<string, string> = { busy, quiet, idle, since: at(20), until: at(10) }

const PAGE_INFO = 'pageInfo { endCursor startCursor hasNextPage hasPreviousPage }'
const NODES = `nodes { id } ${PAGE_INFO}`
const PAGE = 'first: $first, last: $last, after: $after, before: $before'

const key = (path: string, equals: string) => `key: { path: "${path}", equals: "${equals}" }`

const FAILED = '[REDIRECTION_3XX, CLIENT_ERROR_4XX, SERVER_ERROR_5XX, NO_RESPONSE]'

const FILTERS = [
  '{}',
  '{ states: [QUEUED] }',
  '{ states: [WAITING, EXHAUSTED, SUCCEEDED] }',
  '{ statusClasses: [SERVER_ERROR_5XX] }',
  `{ statusClasses: ${FAILED} }`,
  '{ states: [RETRYING, EXHAUSTED], statusClasses: [NO_RESPONSE] }',
  '{ states: [SUCCEEDED], statusClasses: [SERVER_ERROR_5XX] }',
  `{ eventTypes: ["${TICKET}"], states: [EXHAUSTED] }`,
  '{ since: $since, until: $until }',
  '{ webhookIds: [$busy] }',
  '{ webhookIds: [$quiet] }',
  `{ webhookIds: [$busy], eventTypes: ["${TICKET}"] }`,
  '{ webhookIds: [$busy, $quiet], states: [EXHAUSTED, RETRYING] }',
  `{ eventTypes: ["${TICKET}", "${JOINED}"] }`,
  `{ eventTypes: ["${TICKET}", "nope"], states: [EXHAUSTED] }`,
  `{ webhookIds: [$busy, $quiet], eventTypes: ["${TICKET}"] }`,
  `{ ${key('$.customer', 'c77')} }`,
  `{ ${key('$.customer', 'c77')}, since: $since, until: $until }`,
  `{ ${key('$.currency', 'EUR')}, eventTypes: ["${TICKET}"] }`,
  `{ ${key('$.currency', 'EUR')}, since: $since, until: $until }`,
  `{ ${key('$.currency', 'USD')}, states: SUCCEEDED }`,
]
const BY_ATTEMPT = [
  '{}',
  `{ statusClasses: ${FAILED} }`,
  '{ causes: ["500"] }',
  '{ causes: ["response_timed_out", "400", "418"] }',
  `{ minDurationMs: 10000, statusClasses: ${FAILED} }`,
  `{ since: $since, until: $until, statusClasses: ${FAILED} }`,
  `{ webhookIds: [$busy], statusClasses: ${FAILED} }`,
  '{ webhookIds: [$quiet], causes: ["500"] }',
  '{ webhookIds: [$idle] }',
  `{ webhookIds: [$quiet, $idle], statusClasses: ${FAILED} }`,
]
const LISTS = [
  ...BY_ATTEMPT.map((filter) => `attempts(filter: ${filter}, ${PAGE}) { ${NODES} }`),
  ...BY_ATTEMPT.map(
    (filter) => `deliveries(filter: { anyAttempt: ${filter} }, ${PAGE}) { ${NODES} }`,
  ),
  `deliveries(filter: { anyAttempt: { since: $since }, states: [QUEUED] }, ${PAGE}) { ${NODES} }`,
  `webhook(id: $busy) { attempts(filter: { statusClasses: ${FAILED} }, ${PAGE}) { ${NODES} } }`,
  `webhooks(${PAGE}) { nodes { id lastFailure { id } backlog { count oldest { id } } } ${PAGE_INFO} }`,
  ...FILTERS.map((filter) => `deliveries(filter: ${filter}, ${PAGE}) { ${NODES} }`),
  ...[
    '{ states: [QUEUED] }',
    '{ statusClasses: [SERVER_ERROR_5XX] }',
    `{ eventTypes: ["${TICKET}"] }`,
  ].map((filter) => `webhook(id: $busy) { deliveries(filter: ${filter}, ${PAGE}) { ${NODES} } }`),
  `auditLog(${PAGE}) { nodes { id subjectName } ${PAGE_INFO} }`,
  `events(${PAGE}) { ${NODES} }`,
  `events(filter: { type: "${TICKET}" }, ${PAGE}) { ${NODES} }`,
  ...[
    key('$.n', '77'),
    key('$.customer', 'c77'),
    key('$.currency', 'EUR'),
    `${key('$.currency', 'EUR')}, since: $since, until: $until`,
    `${key('$.currency', 'EUR')}, type: "${TICKET}"`,
    `${key('$.customer', 'c77')}, type: "${JOINED}"`,
  ].map((filter) => `events(filter: { ${filter} }, ${PAGE}) { ${NODES} }`),
  `events(filter: { since: $since, until: $until }, ${PAGE}) { ${NODES} }`,
  `webhooks(filter: { search: "EXAMPLE.com/2", states: [NO_DELIVERIES] }, ${PAGE}) { ${NODES} }`,
  `deliveries(${PAGE}) { nodes { id event { id type { name } } webhook { id } attempts(first: 3) { nodes { id status } } } ${PAGE_INFO} }`,
]

test.each(LISTS)('%s is read from indexes, forwards and backwards', async (list) => {
  const names = list.match(/\$(busy|quiet|idle|since|until)\b/g) ?? []
  const declared = `query ($first: Int, $last: Int, $after: String, $before: String${[
    ...new Set(names),
  ]
    .map((name) => `, ${name}: ${/since|until/.test(name) ? 'DateTime!' : 'ID!'}`)
    .join('')}) { list: ${list} }`
  const page = async (cursor: Record<string, unknown>) => {
    const data = await tenant.ask(declared, { ...variables, ...cursor })
    return data.list.deliveries ?? data.list.attempts ?? data.list
  }
  const seen: string[] = []
  for (const { size, cursor, more, end } of [
    { size: 'first', cursor: 'after', more: 'hasNextPage', end: 'endCursor' },
    { size: 'last', cursor: 'before', more: 'hasPreviousPage', end: 'startCursor' },
  ]) {
    let at: string | null = null
    for (let i = 0; i < PAGES; i++) {
      const { nodes, pageInfo } = await page({ [size]: 50, [cursor]: at })
      if (size === 'first') seen.push(...nodes.map(({ id }: { id: string }) => id))
      if (!pageInfo[more]) break
      at = pageInfo[end]
    }
    const again = () => tenant.call(declared, { ...variables, [size]: 50 })
    expect(await readsWithoutIndex(api, again)).toEqual([])
  }
  expect(new Set(seen).size, 'no row is on two pages').toBe(seen.length)
})

test.each(['', ', webhookId: $busy', ', webhookId: $quiet'])(
  'failures of a time range%s are grouped by indexes',
  async (ofWebhook) => {
    const names = ofWebhook.match(/\$\w+/g) ?? []
    const declared = `$since: DateTime!, $until: DateTime${names.map((name) => `, ${name}: ID`)}`
    const filter = `filter: { since: $since, until: $until${ofWebhook} }`
    const field = `failures(${filter}) { count sample { id } webhook { id } }`
    const run = () => tenant.call(`query (${declared}) { ${field} }`, variables)
    expect((await run()).errors).toBeUndefined()
    expect(await readsWithoutIndex(api, run)).toEqual([])
  },
)

test.each([
  '{}',
  '{ states: [QUEUED, SUCCEEDED] }',
  `{ eventTypes: ["${JOINED}"] }`,
  '{ since: $since, until: $until }',
  `{ ${key('$.currency', 'EUR')} }`,
])('the deliveries of busy and of idle webhooks are read by indexes: %s', async (filter) => {
  const declared = filter.includes('$since') ? '($since: DateTime, $until: DateTime)' : ''
  for (const size of ['first', 'last']) {
    const query = `query ${declared} { webhooks { nodes { id
      deliveries(${size}: 3, filter: ${filter}) { nodes { id } } } } }`
    const run = () => tenant.call(query, variables)
    const { data, errors } = await run()
    expect(errors).toBeUndefined()
    const [idle, , busy] = data.webhooks.nodes
    expect([busy.id, idle.id]).toEqual([variables['busy'], variables['idle']])
    expect(busy.deliveries.nodes).toHaveLength(3)
    expect(idle.deliveries.nodes).toEqual([])
    expect(await readsWithoutIndex(api, run)).toEqual([])
  }
})

/** More is not in one page. */
const since = () => new Date(Date.now() - 6 * 3_600_000)

test.each([null, 'busy', 'quiet'])(
  'a stream of the webhook %s is read by indexes',
  async (webhook) => {
    const webhookId = webhook && parseId('webhook', variables[webhook] as string)
    const source = {
      ...{ sql: api.database.pool, organizationId: tenant.organizationId, webhookId },
      news: LAST_NEWS,
    }
    const read = async () => {
      for (const topic of [attemptTopic, finishedTopic]) {
        for await (const _page of (await topic(source, since())) ?? []);
      }
    }
    expect(await readsWithoutIndex(api, read)).toEqual([])
  },
)

/** A client that reads what there is, alone. */
const LAST_NEWS = new News({
  share: (_key, read) => read(),
  onReadError: () => {},
  onEnd: () => {},
})
LAST_NEWS.close()
