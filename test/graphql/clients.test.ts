import { readFileSync } from 'node:fs'
import type { TypedDocumentNode } from '@apollo/client'
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { buildSchema, isAbstractType, OperationTypeNode, print } from 'graphql'
import { GraphQLClient } from 'graphql-request'
import { createClient } from 'graphql-sse'
import { Observable } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import {
  CancelDeliveryDocument,
  CreateWebhookDocument,
  type CreateWebhookMutation,
  type CreateWebhookMutationVariables,
  DeliveryFinishedDocument,
  type DeliveryFinishedSubscription,
  PublishEventDocument,
  type PublishEventMutation,
  type PublishEventMutationVariables,
  WebhooksDocument,
  type WebhooksQuery,
} from './generated/graphql.ts'

/** The operations of a frontend with one client library, with the types of the documents and no casts. */
interface Frontend {
  list(): Promise<WebhooksQuery | undefined>
  create(variables: CreateWebhookMutationVariables): Promise<CreateWebhookMutation | undefined>
  publish(variables: PublishEventMutationVariables): Promise<PublishEventMutation | undefined>
  /** Reports each delivery that finishes, until the returned function is called. */
  watch(next: (data: DeliveryFinishedSubscription | null | undefined) => void): () => void
  /** The error that the client throws for an invalid key. */
  listWithoutKey(): Promise<unknown>
}

let posthorn: TestApp
let url: string
let headers: { authorization: string }

beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
  url = `${posthorn.app.url}/graphql`
  headers = { authorization: `Bearer ${posthorn.tenant.token}` }
})
afterAll(() => posthorn[Symbol.asyncDispose]())

/** Uses server-sent events for all operations. Other clients use it for subscriptions. */
function graphqlSse(): Frontend {
  const connect = (sent: Record<string, string>) =>
    createClient({ url, headers: sent, retryAttempts: 0 })
  const client = connect(headers)
  async function once<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    by = client,
  ): Promise<Data | undefined> {
    const input = { query: print(document), variables }
    for await (const { data, errors } of by.iterate<Data>(input)) {
      if (errors) throw errors[0]
      return data ?? undefined
    }
    return undefined
  }
  return {
    list: () => once(WebhooksDocument, { first: 50 }),
    create: (variables) => once(CreateWebhookDocument, variables),
    publish: (variables) => once(PublishEventDocument, variables),
    watch: (next) => subscribeWithSse(({ data }) => next(data)),
    listWithoutKey: () => once(WebhooksDocument, {}, connect({})),
  }
}

type Finished = { data?: DeliveryFinishedSubscription | null }

function subscribeWithSse(next: (result: Finished) => void): () => void {
  const client = createClient({ url, headers, retryAttempts: 0 })
  return client.subscribe<DeliveryFinishedSubscription>(
    { query: print(DeliveryFinishedDocument) },
    { next: ({ data = null }) => next({ data }), error: () => {}, complete: () => {} },
  )
}

function graphqlRequest(): Frontend {
  const client = new GraphQLClient(url, { headers })
  return {
    list: () => client.request(WebhooksDocument, { first: 50 }),
    create: (variables) => client.request(CreateWebhookDocument, variables),
    publish: (variables) => client.request(PublishEventDocument, variables),
    // The client has no subscriptions.
    watch: (next) => subscribeWithSse(({ data }) => next(data)),
    listWithoutKey: () => new GraphQLClient(url).request(WebhooksDocument, {}),
  }
}

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

/** Apollo drops fragments on an interface unless it knows the implementing types. */
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'))
const possibleTypes = Object.fromEntries(
  Object.values(schema.getTypeMap())
    .filter((type) => isAbstractType(type))
    .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
)

function apollo(): Frontend {
  const connect = (sent: Record<string, string>) =>
    new ApolloClient({
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new ApolloLink(
          () => new Observable((sink) => subscribeWithSse((result) => sink.next(result))),
        ),
        new HttpLink({ uri: url, headers: sent }),
      ),
      cache: new InMemoryCache({ possibleTypes }),
    })
  const client = connect(headers)
  return {
    list: async () =>
      (
        await client.query({
          query: WebhooksDocument,
          variables: { first: 50 },
          fetchPolicy: 'network-only',
        })
      ).data,
    create: async (variables) =>
      (await client.mutate({ mutation: CreateWebhookDocument, variables })).data,
    publish: async (variables) =>
      (await client.mutate({ mutation: PublishEventDocument, variables })).data,
    watch(next) {
      const subscription = client
        .subscribe({ query: DeliveryFinishedDocument })
        .subscribe(({ data }) => next(data))
      return () => subscription.unsubscribe()
    },
    listWithoutKey: () => connect({}).query({ query: WebhooksDocument, variables: {} }),
  }
}

describe.each([
  ['graphql-sse', graphqlSse],
  ['graphql-request', graphqlRequest],
  ['@urql/core', urql],
  ['@apollo/client', apollo],
])('%s', (name, connect) => {
  const hook = `https://example.com/${name.replace('@', '')}`

  test('creates a webhook, lists it and publishes to it, all typed', async () => {
    const frontend = connect()
    const created = await frontend.create({
      input: { url: hook, eventSubscriptions: [JOINED], enabled: true },
    })
    if (created?.createWebhook?.__typename !== 'CreateWebhookSuccess') {
      throw new Error(JSON.stringify(created))
    }
    const { webhook } = created.createWebhook
    expect(webhook).toMatchObject({ url: hook, enabled: true, eventSubscriptions: [JOINED] })

    const listed = await frontend.list()
    expect(listed?.webhooks?.nodes.map(({ id }) => id)).toContain(webhook.id)

    const published = await frontend.publish({ input: { type: JOINED, data: { name: 'Ada' } } })
    if (published?.publishEvent?.__typename !== 'PublishEventSuccess') {
      throw new Error(JSON.stringify(published))
    }
    expect(published.publishEvent.publishedEvent.deliveryCount).toBeGreaterThan(0)
  })

  test('receives each delivery when it finishes', async () => {
    const frontend = connect()
    await frontend.create({ input: { url: hook, eventSubscriptions: [JOINED], enabled: true } })
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
  })

  test('receives the problems of an input as data', async () => {
    const rejected = await connect().create({ input: { url: 'http://x', eventSubscriptions: [] } })
    expect(rejected?.createWebhook).toMatchObject({
      __typename: 'ValidationError',
      code: 'invalid',
      issues: [{ path: ['eventSubscriptions'] }, { path: ['url'] }],
    })
  })

  test('throws its own error when there is no key', async () => {
    await expect(connect().listWithoutKey()).rejects.toThrow(
      /No API key was given|401: Unauthorized/,
    )
  })
})

/** Finishes a delivery by canceling it, because no worker runs here. */
async function publishAndCancel(frontend: Frontend): Promise<void> {
  await frontend.publish({ input: { type: JOINED, data: {} } })
  const { deliveries } = await posthorn.graphql('{ deliveries(first: 1) { nodes { id } } }')
  await posthorn.graphql(print(CancelDeliveryDocument), { id: deliveries.nodes[0].id })
}
