import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { print } from 'graphql'
import { expect, type TestOptions, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { until } from '../support/until.ts'
import {
  CancelDeliveriesDocument,
  CreateWebhookDocument,
  DeliveryFinishedDocument,
  PublishEventDocument,
  WebhooksDocument,
} from './generated/graphql.ts'
import type { Frontend } from './support/frontend.ts'

const posthorn = await useTestApp({ role: 'api' })
const url = `${posthorn.app.url}/graphql`
const headers = { authorization: `Bearer ${posthorn.tenant.token}` }

function urql(): Frontend {
  const connect = (fetchOptions: RequestInit) =>
    new Client({
      url,
      fetchOptions,
      exchanges: [cacheExchange, fetchExchange],
      preferGetMethod: false,
      fetchSubscriptions: true,
    })
  const client = connect({ headers })
  const options = { requestPolicy: 'network-only' } as const
  return {
    list: async () => (await client.query(WebhooksDocument, { first: 50 }, options)).data,
    create: async (variables) => (await client.mutation(CreateWebhookDocument, variables)).data,
    publish: async (variables) => (await client.mutation(PublishEventDocument, variables)).data,
    watch: (next) =>
      client.subscription(DeliveryFinishedDocument, {}).subscribe(({ data }) => next(data))
        .unsubscribe,
    async listWithoutKey() {
      const { error } = await connect({}).query(WebhooksDocument, {})
      throw error
    },
  }
}

async function apollo(): Promise<Frontend> {
  const { apolloFrontend } = await import('../apollo/apollo-frontend.ts')
  return apolloFrontend({ url, headers })
}

const FRONTENDS: readonly [string, () => Frontend | Promise<Frontend>, TestOptions?][] = [
  ['@urql/core', urql],
  ['@apollo/client', apollo, await requirePackages('test/apollo')],
]

for (const [name, connect, options = {}] of FRONTENDS) {
  test(
    `${name} has typed answers, problems as data, streams, and an error without a key`,
    options,
    async () => {
      const frontend = await connect()
      const hook = `https://example.com/${name.replace('@', '')}`
      const input = { url: hook, eventSubscriptions: [JOINED], enabled: true }
      const created = await frontend.create({ input })
      if (created?.createWebhook?.__typename !== 'CreateWebhookSuccess') {
        throw new Error(JSON.stringify(created))
      }
      const { webhook } = created.createWebhook
      expect(webhook).toMatchObject({ ...input, eventSubscriptions: [{ name: JOINED }] })
      const listed = await frontend.list()
      expect(listed?.webhooks?.nodes.map(({ id }) => id)).toContain(webhook.id)

      const finished: string[] = []
      const stop = frontend.watch((data) => {
        if (data?.deliveryFinished) finished.push(data.deliveryFinished.state)
      })
      try {
        await until(async () => {
          await publishAndCancel(frontend)
          return finished.length > 0
        }, 'a delivery finishes')
        expect(finished[0]).toBe('CANCELED')
      } finally {
        stop()
      }

      const rejected = await frontend.create({ input: { url: 'http://x', eventSubscriptions: [] } })
      expect(rejected?.createWebhook).toMatchObject({
        __typename: 'ValidationError',
        issues: [{ path: ['eventSubscriptions'] }, { path: ['url'] }],
      })
      await expect(frontend.listWithoutKey()).rejects.toThrow(
        /No API key was given|401: Unauthorized/,
      )
    },
  )
}

/** Finishes a delivery by canceling it, because no worker runs here. */
async function publishAndCancel(frontend: Frontend): Promise<void> {
  await frontend.publish({ input: { type: JOINED, data: {} } })
  const { deliveries } = await posthorn.graphql('{ deliveries(first: 1) { nodes { id } } }')
  await posthorn.graphql(print(CancelDeliveriesDocument), {
    input: { ids: [deliveries.nodes[0].id] },
  })
}
