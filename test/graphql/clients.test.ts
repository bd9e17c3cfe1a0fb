import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import {
  CancelDeliveriesDocument,
  CreateWebhookDocument,
  DeliveryFinishedDocument,
  PublishEventDocument,
  WebhooksDocument,
} from './generated/graphql.ts'

const posthorn = await useTestApp({ role: 'api' })

const connect = (fetchOptions: RequestInit) =>
  new Client({
    url: `${posthorn.app.url}/graphql`,
    fetchOptions,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
  })

test('@urql/core has typed answers, problems as data, streams, and an error without a key', async () => {
  const client = connect({ headers: { authorization: `Bearer ${posthorn.tenant.token}` } })
  const create = async (url: string, eventSubscriptions: string[]) => {
    const input = { url, eventSubscriptions, enabled: true }
    return (await client.mutation(CreateWebhookDocument, { input })).data?.createWebhook
  }
  const created = await create('https://example.com/urql', [JOINED])
  if (created?.__typename !== 'CreateWebhookSuccess') throw new Error(JSON.stringify(created))
  const { id } = created.webhook
  const listed = await client.query(WebhooksDocument, { first: 50 })
  expect(listed.data?.webhooks?.nodes).toMatchObject([{ id }])
  expect(await create('http://x', [])).toMatchObject({
    __typename: 'ValidationError',
    issues: [{ path: ['eventSubscriptions'] }, { path: ['url'] }],
  })

  const finished: (string | undefined)[] = []
  const subscription = client
    .subscription(DeliveryFinishedDocument, {})
    .subscribe(({ data }) => finished.push(data?.deliveryFinished?.state))
  // Finished by a cancelation, because no worker runs here.
  await until(async () => {
    await client.mutation(PublishEventDocument, { input: { type: JOINED, data: {} } })
    const { deliveries } = await posthorn.graphql('{ deliveries(first: 1) { nodes { id } } }')
    const ids = [deliveries.nodes[0].id]
    await client.mutation(CancelDeliveriesDocument, { input: { ids } })
    return finished.length > 0
  }, 'a delivery finishes')
  subscription.unsubscribe()
  expect(finished[0]).toBe('CANCELED')

  const { error } = await connect({}).query(WebhooksDocument, {})
  expect(error?.message).toContain('No API key was given')
})
