import type { Scope } from '../../src/access/scope.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/**
 * An organization with two webhooks, whose endpoint fails. Everything of the second webhook has the marker
 * `other-`, and everything of the organization `own-` or `other-`.
 */
export interface AgentWorld extends AsyncDisposable {
  readonly posthorn: TestApp
  readonly receiver: Receiver
  readonly own: Subject
  readonly other: Subject
  /** An API key of the organization. */
  keyWith(scopes: readonly Scope[]): Promise<string>
}

export interface Subject {
  readonly webhookId: string
  readonly eventId: string
  readonly deliveryId: string
  readonly attemptId: string
}

export async function openWorld(): Promise<AgentWorld> {
  const receiver = await startReceiver()
  receiver.answer = (response, { path }) => {
    response.statusCode = 500
    response.end(`response of ${path}`)
  }
  const posthorn = await startTestApp({
    environment: { POSTHORN_MCP: 'write' },
    trustedAuthorities: [receiver.authority],
  })
  const { tenant, database } = posthorn
  const own = await createSubject(posthorn, receiver, 'own', JOINED)
  const other = await createSubject(posthorn, receiver, 'other', TICKET)
  return {
    posthorn,
    receiver,
    own,
    other,
    async keyWith(scopes) {
      const { organizationId } = tenant
      return (await createApiKey(database.prisma, { organizationId, scopes })).token
    },
    async [Symbol.asyncDispose]() {
      await posthorn[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

async function createSubject(
  { graphql }: TestApp,
  receiver: Receiver,
  marker: string,
  type: string,
): Promise<Subject> {
  const webhookId = await createWebhook({ graphql }, `${receiver.url}${marker}-url`, {
    description: `${marker}-description`,
    eventSubscriptions: [type],
  })
  const { publishEvent } = await graphql(
    `mutation ($input: PublishEventInput!) { publishEvent(input: $input) {
      ... on PublishEventSuccess { publishedEvent { id } } ... on UserError { message } } }`,
    { input: { type, data: { marker: `${marker}-payload` } } },
  )
  let delivery: { id: string; state: string; attempts: { nodes: { id: string }[] } } | undefined
  await until(async () => {
    const { deliveries } = await graphql(
      `query ($filter: DeliveryFilter) { deliveries(filter: $filter) {
        nodes { id state attempts(first: 1) { nodes { id } } } } }`,
      { filter: { webhookIds: [webhookId] } },
    )
    delivery = deliveries.nodes[0]
    return delivery?.state === 'EXHAUSTED'
  }, `the delivery of ${marker} is exhausted`)
  return {
    webhookId,
    eventId: publishEvent.publishedEvent.id,
    deliveryId: delivery?.id as string,
    attemptId: delivery?.attempts.nodes[0]?.id as string,
  }
}
