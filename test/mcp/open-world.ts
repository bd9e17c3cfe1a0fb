import type { Scope } from '../../src/auth/access/scope.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { createApiKey } from '../support/api-keys.ts'
import { type TestApp, useTestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

export type Subject = Awaited<ReturnType<typeof createSubject>>

/**
 * An organization with two webhooks, whose endpoint failed and works from now on. Everything of the second webhook has the
 * marker `other-`, and everything of the organization `own-` or `other-`.
 */
export async function openWorld() {
  const receiver = await useResource(startReceiver())
  receiver.answer = (response, { path }) => {
    response.statusCode = 500
    response.end(`response of ${path}`)
  }
  const posthorn = await useTestApp({
    environment: { POSTHORN_MCP: 'write' },
    trustedAuthorities: [receiver.authority],
  })
  const own = await createSubject(posthorn, `${receiver.url}own-url`, 'own', JOINED)
  const other = await createSubject(posthorn, `${receiver.url}other-url`, 'other', TICKET)
  receiver.answer = (response) => response.end()
  const { organizationId } = posthorn.tenant
  return {
    posthorn,
    own,
    other,
    /** An API key of the organization. */
    keyWith: async (scopes: readonly Scope[]) =>
      (await createApiKey(posthorn.database.prisma, { organizationId, scopes })).token,
  }
}

async function createSubject({ graphql }: TestApp, url: string, marker: string, type: string) {
  const webhookId = await createWebhook({ graphql }, url, {
    description: `${marker}-description`,
    eventSubscriptions: [type],
  })
  const input = { type, data: { marker: `${marker}-payload` } }
  const { publishEvent } = await graphql(document('events', 'PublishEvent'), { input })
  const eventId: string = publishEvent.publishedEvent.id
  const read = async () => {
    const { event } = await graphql(
      `{ event(id: "${eventId}") { deliveries { nodes { id state attempts(first: 1) { nodes { id } } } } } }`,
    )
    return event.deliveries.nodes[0]
  }
  await until(
    async () => (await read())?.state === 'EXHAUSTED',
    `the delivery of ${marker} is exhausted`,
  )
  const { id, attempts } = await read()
  return { webhookId, eventId, deliveryId: id as string, attemptId: attempts.nodes[0].id as string }
}
