import { expect, test } from 'vitest'
import { useApi } from '../../graphql/support/api.ts'
import { readsWithoutIndex } from '../../graphql/support/plans.ts'

/** Of one organization, which gives each of its customers a webhook. */
const WEBHOOKS = 20_000
const OF_A_CUSTOMER = 50

const LIST = `query ($filter: WebhookFilter) {
  webhooks(first: 20, filter: $filter) {
    totalCount nodes { id metadata } pageInfo { hasNextPage endCursor }
  }
}`

const api = await useApi('own')
const tenant = await api.tenant()
await api.database.pool.query(
  `insert into posthorn.webhooks (organization_id, url, event_subscriptions, metadata)
   select $1, 'https://example.com/' || i, array['*'],
     jsonb_build_object('customer', 'c' || i % $3, 'region', 'r' || i % 3)
   from generate_series(1, $2::int) as i`,
  [tenant.organizationId, WEBHOOKS, WEBHOOKS / OF_A_CUSTOMER],
)
await api.database.pool.query('vacuum analyze posthorn.webhooks')

const page = async (filter: object) => (await tenant.ask(LIST, { filter })).webhooks

const customer = { key: 'customer', value: 'c7' }

test('a page of the webhooks with a label is read by an index, of 20,000 webhooks', async () => {
  for (const metadata of [[customer], [customer, { key: 'region', value: 'r1' }]]) {
    expect(await readsWithoutIndex(api, () => page({ metadata }), /^webhooks$/)).toEqual([])
  }
  expect(await page({ metadata: [{ key: 'customer', value: 'c' }] })).toMatchObject({ nodes: [] })
  const scan = () => page({ search: 'no such webhook' })
  expect(await readsWithoutIndex(api, scan, /^webhooks$/)).not.toEqual([])
})
