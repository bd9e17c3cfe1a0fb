import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { SCOPES } from '../../../src/auth/access/scope.ts'
import { publicId } from '../../../src/db/ids.ts'
import { eraseUnkeptPayloads } from '../../../src/deliveries/erase-unkept-payloads.ts'
import { createEventType } from '../../../src/event-types/edit-event-type.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { readerOf, streamsOf } from '../../streams/event-stream/support/reader.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { useTestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { postGraphql } from '../../support/post-graphql.ts'
import { useReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

let organization: string
let token: string

const receiver = await useReceiver()
const posthorn = await useTestApp()

beforeAll(async () => {
  receiver.answer = (response) => response.end('thanks')
  const { organizationId } = posthorn.tenant
  const key = await createApiKey(posthorn.database.prisma, { organizationId, scopes: SCOPES })
  token = key.token
  organization = publicId('organization', organizationId)
})
beforeEach(() => updateOrganization({ keepPayloads: true, keepResponseBodies: true }))

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
async function graphql(query: string, variables: object, as = token): Promise<any> {
  const { data, errors } = await postGraphql(posthorn.app.url, as, query, variables)
  expect(errors).toBeUndefined()
  return data
}

async function updateOrganization(input: object) {
  const { updateOrganization: answer } = await graphql(
    `mutation ($id: ID!, $input: UpdateOrganizationInput!) { updateOrganization(id: $id, input: $input) {
      ... on UpdateOrganizationSuccess { organization {
        retentionDays keepPayloads keepResponseBodies } }
      ... on UserError { message } } }`,
    { id: organization, input },
  )
  return answer
}

/** Creates a webhook, which is deleted after the test. */
async function addWebhook(input: object = {}): Promise<string> {
  const id = await createWebhook(posthorn, receiver.url, input)
  onTestFinished(async () => void (await posthorn.rest('DELETE', `/webhooks/${id}`)))
  return id
}

async function publish(): Promise<string> {
  const [event] = await posthorn.services.publishEvents(posthorn.tenant.organizationId, [
    { type: JOINED, data: { secret: 'Ada' } },
  ])
  return event?.id as string
}

async function eventOf(id: string) {
  const { event } = await graphql(
    `query ($id: ID!) { event(id: $id) { payloadState dataText deliveries(first: 9) { nodes {
      id webhookId state payloadState body attempts(first: 1) { nodes { response {
        status body unkeptBodyBytes headers { name } } } } } } } }`,
    { id },
  )
  return event
}

async function succeeded(id: string) {
  return await until(async () => {
    const { nodes } = (await eventOf(id)).deliveries
    return nodes.length > 0 && nodes.every(({ state }: { state: string }) => state === 'SUCCEEDED')
  }, 'the deliveries have succeeded')
}

const erase = () => eraseUnkeptPayloads(posthorn.database.pool)

async function untilErased(id: string) {
  await until(async () => {
    await makeDue()
    await erase()
    return (await eventOf(id)).payloadState === 'NOT_KEPT'
  }, 'the payload is erased')
}

const responseOf = async (id: string) =>
  (await eventOf(id)).deliveries.nodes[0].attempts.nodes[0].response

describe('response bodies', () => {
  test.each([
    ['the organization', () => updateOrganization({ keepResponseBodies: false }), {}],
    ['the webhook', async () => {}, { keepResponseBodies: false }],
  ])(
    'are not stored if %s keeps none: the status, the headers and the size are',
    async (_whose, set, input) => {
      await set()
      await addWebhook(input)
      const id = await publish()
      await succeeded(id)
      const response = await responseOf(id)
      expect(response).toMatchObject({ status: 200, body: '', unkeptBodyBytes: 6 })
      expect(response.headers.length).toBeGreaterThan(0)
      const { rows } = await posthorn.database.pool.query(
        'select response_body from posthorn.attempts where organization_id = $1 order by id desc limit 1',
        [posthorn.tenant.organizationId],
      )
      expect(rows).toEqual([{ response_body: null }])
    },
  )

  test('a webhook cannot keep what its organization does not keep', async () => {
    await updateOrganization({ keepResponseBodies: false, keepPayloads: false })
    const id = await addWebhook({ keepResponseBodies: true, keepPayloads: true })
    const { webhook } = await graphql(
      `query ($id: ID!) { webhook(id: $id) { keepPayloads keepResponseBodies
        effectiveSettings { keepPayloads keepResponseBodies } } }`,
      { id },
    )
    expect(webhook).toEqual({
      keepPayloads: true,
      keepResponseBodies: true,
      effectiveSettings: { keepPayloads: false, keepResponseBodies: false },
    })
  })
})

describe('payloads', () => {
  test('wait for a consumer that has not acknowledged the event', async () => {
    await updateOrganization({ keepPayloads: false })
    await addWebhook()
    const streams = streamsOf(posthorn)
    const reader = readerOf(posthorn.tenant)
    await streams.pull(reader, { consumer: 'billing' })
    const id = await publish()
    await succeeded(id)
    await makeDue()
    await erase()
    expect((await eventOf(id)).payloadState).toBe('KEPT')
    const pulled = await streams.pull(reader, { consumer: 'billing' })
    expect(pulled.events).toHaveLength(1)
    await makeDue()
    await erase()
    expect((await eventOf(id)).payloadState).toBe('KEPT')
    await streams.acknowledge(reader, 'billing', pulled.lease as string)
    await untilErased(id)
  })

  test('of a webhook that keeps none are hidden in its portal, and shown in that of another', async () => {
    const restricted = await addWebhook({ keepPayloads: false })
    const other = await addWebhook()
    const id = await publish()
    await succeeded(id)
    await until(async () => {
      await erase()
      const { nodes } = (await eventOf(id)).deliveries
      return nodes.some((node: { payloadState: string }) => node.payloadState === 'NOT_KEPT')
    }, 'the delivery is marked')
    const fields = 'payloadState data dataText body preview previous previousText'
    const hidden = { data: null, dataText: null, body: null, preview: null }
    expect(await inPortal(restricted, id, fields)).toMatchObject({
      ...hidden,
      payloadState: 'NOT_KEPT',
    })
    expect(await inPortal(other, id, fields)).toMatchObject({
      payloadState: 'KEPT',
      dataText: '{"secret":"Ada"}',
    })
  })
})

async function inPortal(webhookId: string, eventId: string, fields: string) {
  const { createPortalSession } = await graphql(
    `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) {
      ... on CreatePortalSessionSuccess { portalSession { url } } ... on UserError { message } } }`,
    { input: { webhookId, scopes: ['webhooks:read', 'deliveries:read', 'events:read'] } },
  )
  const { searchParams } = new URL(createPortalSession.portalSession.url.replace('#', '?'))
  const query = `query ($id: ID!) { event(id: $id) { ${fields} } }`
  const data = await graphql(query, { id: eventId }, searchParams.get('token') as string)
  return data.event
}

const makeDue = () =>
  posthorn.database.pool.query('update posthorn.unkept_payloads set due_at = now()')

test('events of a type are kept for the shortest of the retentions that apply', async () => {
  const name = 'running.expired'
  await createEventType(posthorn.database.prisma, { name, description: 'It expired' }, SYSTEM)
  const id = `type_${name}`
  const days = async () => {
    const query =
      'query ($id: ID!) { node(id: $id) { ... on EventType { effectiveRetentionDays } } }'
    return (await graphql(query, { id })).node.effectiveRetentionDays
  }
  expect(await days()).toBe(30)
  await updateOrganization({ retentionDays: 7 })
  expect(await days()).toBe(7)
  await graphql(
    `mutation ($id: ID!) { updateEventType(id: $id, input: { retentionDays: 3 }) { __typename } }`,
    { id },
  )
  expect(await days()).toBe(3)
  await updateOrganization({ retentionDays: null })
})
