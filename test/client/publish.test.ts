import { hash } from 'node:crypto'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../packages/client/src/index.ts'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { publicId } from '../../src/db/ids.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createNoteType, failureOf, NOTE, storedData, storedEvents } from './events.ts'

interface Events {
  [JOINED]: { attendee: string }
  [NOTE]: unknown
  'client.paid': { order: number; total: string }
}

const posthorn = await useTestApp({ role: 'api' })
const { url } = posthorn.app
const { token } = posthorn.tenant
const client = createClient<Events>({ url, token })
await subscribe(posthorn.database, posthorn.tenant.organizationId, [JOINED])
await createNoteType(posthorn.database)
const properties = { order: { type: 'integer' }, total: { type: 'string' } }
const schema = { type: 'object', required: ['order', 'total'], properties }
const paid = { name: 'client.paid', description: 'A customer paid an order in full.', schema }
await createEventType(posthorn.database.prisma, paid, SYSTEM)

describe('publish', () => {
  test('resolves with the id and the number of deliveries', async () => {
    const published = await client.publish(JOINED, { attendee: 'Ada' })
    const id = expect.stringMatching(/^evt_/)
    expect(published).toEqual({ id, deliveryCount: 1, duplicate: false })
    expect(await storedEvents(posthorn.database, [published.id])).toMatchObject([
      { type: JOINED, data: '{"attendee":"Ada"}', traceParent: null },
    ])
  })

  test.each([
    ['Zoë "quotes" \\ $variables {braces} \n\u2028 👋'],
    [[]],
    [[null]],
    [false],
    [0],
    [-1.5e-7],
    [{ query: 'mutation', $events: [[1, { 'a-b': null }]] }],
  ])('stores %j as JSON.stringify prints it', async (data) => {
    const { id } = await client.publish(NOTE, data)
    expect((await storedEvents(posthorn.database, [id]))[0]?.data).toBe(JSON.stringify(data))
  })

  test('keeps the text of data and of previous data to the letter', async () => {
    const text = '{ "total": 10.50 }'
    const texts = { dataText: text, previousText: text }
    const { id } = await client.publish(NOTE, undefined, texts)
    expect(await storedEvents(posthorn.database, [id])).toMatchObject([
      { data: text, previous: text },
    ])
  })

  test('the same event twice is two events, and with a key one', async () => {
    const publish = (options = {}) => client.publish(NOTE, 'twice', options)
    const { id } = await publish()
    expect(await publish()).not.toMatchObject({ id })
    const options = { idempotencyKey: 'ticket-1' }
    const keyed = await publish(options)
    expect(await publish(options)).toEqual({ id: keyed.id, deliveryCount: 0, duplicate: true })
  })

  test('sends the time, the trace context and the organization', async () => {
    const { token } = await createTenant(posthorn.database.prisma, ['admin'])
    const organization = posthorn.tenant.publicOrganizationId
    const admin = createClient({ url, token, organization })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const occurredAt = new Date('2026-01-31T12:00:00Z')
    for (const timestamp of [occurredAt, '2026-01-31T13:00:00+01:00']) {
      const { id } = await admin.publish(NOTE, 1, { timestamp, traceparent })
      const stored = await storedEvents(posthorn.database, [id])
      expect(stored).toMatchObject([{ occurredAt, traceParent: traceparent, organization }])
    }
  })

  test('sends the data before the change, of the same type', async () => {
    const data = { order: 1, total: '2' }
    const { id } = await client.publish('client.paid', data, { previous: { order: 1, total: '1' } })
    const [other] = await client.publishMany([{ type: 'client.paid', data, previous: undefined }])
    expect(await storedEvents(posthorn.database, [id, other?.id ?? ''])).toMatchObject([
      { data: '{"order":1,"total":"2"}', previous: '{"order":1,"total":"1"}' },
      { previous: null },
    ])
    // @ts-expect-error: `total` is missing.
    const wrong = client.publish('client.paid', data, { previous: { order: 1 } })
    await expect(wrong).rejects.toMatchObject({ issues: [{ path: ['previous'] }] })
  })
})

describe('publishMany', () => {
  test('publishes events in their order', async () => {
    const published = await client.publishMany([
      { type: JOINED, data: { attendee: 'Ada' } },
      { type: NOTE, data: 2, idempotencyKey: 'many-2' },
      { type: 'client.paid', data: { order: 3, total: '1.00' }, timestamp: new Date(0) },
    ])
    expect(published.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 0, 0])
    const ids = published.map(({ id }) => id)
    const stored = await storedEvents(posthorn.database, ids)
    expect(stored.map(({ type }) => type)).toEqual([JOINED, NOTE, 'client.paid'])
    expect(stored[2]?.occurredAt).toEqual(new Date(0))
  })

  test('publishes none if one is invalid, and lists each problem with its path', async () => {
    const error = await failureOf(
      client.publishMany([
        { type: NOTE, data: 'all or none' },
        { type: 'client.paid', data: { order: 1.5, total: '1.00' } },
        { type: 'order.payd' as 'client.paid', data: { order: 1, total: '1.00' } },
      ]),
    )
    expect(error).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('There is no event type "order.payd".'),
      issues: [
        {
          path: ['1', 'data'],
          code: 'schema_mismatch',
          message: expect.stringMatching(/order/),
        },
        { path: ['2', 'type'], code: 'unknown_event_type' },
      ],
    })
    expect(await storedData(posthorn.database, 'all or none')).toEqual([])
  })
})

describe('request', () => {
  const { publicOrganizationId } = posthorn.tenant

  test('resolves with the data, for the organization of the client', async () => {
    const { prisma } = posthorn.database
    const { token } = await createTenant(prisma, ['admin'])
    const uid = 'größe'
    await prisma.organization.update({
      where: { id: posthorn.tenant.organizationId },
      data: { uid },
    })
    for (const organization of [publicOrganizationId, uid]) {
      const admin = createClient({ url, token, organization })
      const query =
        'query ($first: Int) { viewer { organization { id } } webhooks(first: $first) { totalCount } }'
      expect(await admin.request(query, { first: 1 })).toEqual({
        viewer: { organization: { id: publicOrganizationId } },
        webhooks: { totalCount: 1 },
      })
    }
  })

  const CREATE = `mutation ($url: String!) {
    createWebhook(input: { url: $url, eventSubscriptions: ["*"] }) {
      ... on CreateWebhookSuccess { webhook { id } }
      ... on UserError { code message }
      ... on ValidationError { issues { path code message } }
    }
  }`

  test.each([
    [CREATE, { url: 'http://example.com/' }, 'BAD_USER_INPUT', [{ path: ['url'] }]],
    [CREATE, {}, 'BAD_USER_INPUT', []],
    [
      'mutation { deleteWebhook(id: "wh_0") { ... on UserError { code message } } }',
      {},
      'NOT_FOUND',
      [],
    ],
    ['{ nothing }', {}, 'GRAPHQL_VALIDATION_FAILED', []],
    ['{ organizations { nodes { id } } }', {}, 'FORBIDDEN', []],
  ])('%s rejects with its error', async (query, variables, code, issues) => {
    const error = await failureOf(client.request(query, variables))
    expect(error).toMatchObject({ code, issues, message: expect.stringMatching(/\.$|"nothing"/) })
  })
})

describe('an error has its code, the message of Posthorn and the keys of the events', () => {
  test('a key that was used for another event', async () => {
    await client.publish(NOTE, 'first', { idempotencyKey: 'reused' })
    const published = client.publish(NOTE, 'second', { idempotencyKey: 'reused' })
    expect(await failureOf(published)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('idempotencyKey was used for another event'),
      idempotencyKeys: ['reused'],
    })
    expect(await storedData(posthorn.database, 'second')).toEqual([])
  })

  test.each<[data: unknown, options: object, field: string]>([
    [undefined, {}, 'data'],
    [null, {}, 'data'],
    [1, { idempotencykey: 'a' }, 'idempotencykey'],
    [1, { 'a/b~1 ü': 'a' }, 'a/b~1 ü'],
  ])('an event that is rejected: %j, %j', async (data, options, field) => {
    const error = await failureOf(client.publish(NOTE, data, options))
    const some = expect.stringMatching(/./)
    expect(error).toMatchObject({ code: 'BAD_USER_INPUT', requestId: some })
    expect(error.issues).toEqual([{ path: [field], code: some, message: some }])
  })

  test('a key that is unknown, revoked, or without the scope', async () => {
    const { prisma } = posthorn.database
    const { organizationId } = posthorn.tenant
    const publishWith = (token: string) =>
      failureOf(createClient({ url, token }).publish(NOTE, 'no right'))
    expect(await publishWith('phk_unknown')).toMatchObject({ code: 'UNAUTHENTICATED' })
    const { key, token } = await createApiKey(prisma, { organizationId, scopes: ['events:read'] })
    expect(await publishWith(token)).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('events:publish'),
    })
    await revokeApiKey(prisma, publicId('apiKey', key.id))
    expect(await publishWith(token)).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await storedData(posthorn.database, 'no right')).toEqual([])
  })

  test('a URL that is not that of Posthorn', async () => {
    const lost = createClient({ url: `${url}/graphql`, token })
    const message = 'There is nothing at "/graphql/api/events/v1/events".'
    expect(await failureOf(lost.publish(NOTE, 1))).toMatchObject({ code: 'NOT_FOUND', message })
  })
})

describe('an argument that cannot be sent is a TypeError, and nothing is published', () => {
  const options = { url: 'https://example.com', token: 'phk_a' }

  test.each([
    [{ url: 'example.com' }, 'url must be https:// or http://'],
    [{ url: 'ftp://example.com' }, 'url must be https:// or http://'],
    [{ url: 'https://user:secret@example.com' }, 'without a user or a password'],
    [{ token: '' }, 'token must be an API key'],
    [{ token: 'phk_a\n' }, 'without spaces or line breaks'],
    [{ token: undefined }, 'Is the variable that contains it set?'],
    [{ organization: '' }, 'organization must be the id'],
    [{ organisation: 'org_1' }, 'Unknown option "organisation"'],
  ])('createClient: %j', (wrong, message) => {
    const create = () => createClient({ ...options, ...(wrong as object) })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
    expect(create).not.toThrow(/secret|phk_a/)
  })

  test.each([
    [{ timestamp: new Date(Number.NaN) }, 'timestamp is an invalid Date.'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
    [{ timeoutMs: -1 }, 'timeoutMs must be'],
  ])('publish: %j', async (wrong, message) => {
    const published = client.publish(NOTE, 'type error', wrong)
    await expect(published).rejects.toThrow(message)
    await expect(published).rejects.toBeInstanceOf(TypeError)
    await expect(client.publish(NOTE, 1n)).rejects.toBeInstanceOf(TypeError)
    expect(await storedData(posthorn.database, 'type error')).toEqual([])
  })
})

test('a server that runs trusted documents only is published to, and asked by their hashes', async () => {
  await using folder = await mkdtempDisposable(path.join(temporaryFolder(), 'documents '))
  const file = path.join(folder.path, 'documents.json')
  const query = '{ viewer { __typename } }'
  await writeFile(file, JSON.stringify({ [hash('sha256', query)]: query }))
  const environment = { POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: file }
  await using trusting = await startTestApp({ role: 'api', environment })
  const options = { url: `${trusting.app.url}/`, token: trusting.tenant.token }
  const client = createClient({ ...options, trustedDocuments: true })
  expect((await client.publish(JOINED, {})).id).toMatch(/^evt_/)
  expect(await client.request(query)).toHaveProperty('viewer')
  const text = createClient(options).request(query)
  await expect(text).rejects.toMatchObject({ code: 'TRUSTED_DOCUMENTS_ONLY' })
})
