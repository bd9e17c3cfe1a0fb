import { beforeAll, expect, test } from 'vitest'
import { type Api, useApi } from '../graphql/support/api.ts'
import { readsWithoutIndex } from '../graphql/support/plans.ts'

/** Of one organization, which gives each of its customers a webhook. */
const WEBHOOKS = 20_000
const OF_A_CUSTOMER = 50

const LIST = `query ($after: String, $filter: WebhookFilter, $first: Int) {
  webhooks(first: $first, after: $after, filter: $filter) {
    totalCount nodes { id metadata } pageInfo { hasNextPage endCursor }
  }
}`

let tenant: Awaited<ReturnType<Api['tenant']>>

const api = await useApi('own')

beforeAll(async () => {
  tenant = await api.tenant()
  const { pool } = api.database
  await pool.query(
    `insert into posthorn.webhooks (organization_id, url, event_subscriptions, metadata)
     select $1, 'https://example.com/' || i, array['*'],
       jsonb_build_object('customer', 'c' || i % $3, 'region', 'r' || i % 3)
     from generate_series(1, $2::int) as i`,
    [tenant.organizationId, WEBHOOKS, WEBHOOKS / OF_A_CUSTOMER],
  )
  await pool.query('vacuum analyze posthorn.webhooks')
})

async function page(filter: object, after: string | null = null, first = 20) {
  const { data, errors } = await api.call(tenant.token, LIST, { filter, after, first })
  expect(errors).toBeUndefined()
  return data.webhooks
}

const customer = { key: 'customer', value: 'c7' }

test('a page of the webhooks with a label is read by an index, of 20,000 webhooks', async () => {
  for (const metadata of [[customer], [customer, { key: 'region', value: 'r1' }]]) {
    expect(await readsWithoutIndex(api, () => page({ metadata }), /^webhooks$/)).toEqual([])
  }
  expect(await page({ metadata: [{ key: 'customer', value: 'c' }] })).toMatchObject({ nodes: [] })
  const scan = () => page({ search: 'no such webhook' })
  expect(await readsWithoutIndex(api, scan, /^webhooks$/)).not.toEqual([])
})
