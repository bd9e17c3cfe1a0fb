import { describe, expect, test } from 'vitest'
import { createApiKey } from '../support/api-keys.ts'
import { JOINED } from '../support/factories.ts'
import { traceOf } from '../support/webhook-traces.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

const run = (operation: string, variables?: object) => tenant.run('webhooks', operation, variables)
const update = (id: string, input: object) => run('UpdateWebhook', { id, input })

const INPUT = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }

/** The headers with their values. */
const reveal = async (id: string) => (await run('RevealHeaders', { id })).headers

describe('createWebhook', () => {
  test('registers a webhook, disabled by default', async () => {
    const input = { ...INPUT, eventSubscriptions: [JOINED, JOINED] }
    expect(await run('CreateWebhook', { input })).toMatchObject({
      __typename: 'CreateWebhookSuccess',
      webhook: {
        ...{ id: expect.stringMatching(/^wh_/), url: input.url, description: null },
        ...{ enabled: false, eventSubscriptions: [{ name: JOINED }], headerNames: [], revision: 1 },
      },
    })
  })

  test('lists all problems of an input, and changes nothing', async () => {
    const headers = [{ name: 'wh-id', value: 'x' }]
    const eventSubscriptions = ['event_attendee.joined']
    const input = { url: 'http://example.com', eventSubscriptions, headers }
    const { issues, ...rejected } = await run('CreateWebhook', { input })
    expect(rejected).toEqual({
      ...{ __typename: 'ValidationError', code: 'invalid' },
      message:
        'headers.wh-id is set by Posthorn or by the connection. Use another name. The URL is not HTTPS. Give one that begins with https://. There is no event type "event_attendee.joined". Did you mean "event_attendee.joined_event"?',
    })
    expect(issues).toMatchObject([
      { path: ['headers', 'wh-id'], code: 'reserved_header' },
      { path: ['url'], code: 'not_https' },
      { path: ['eventSubscriptions', '0'], code: 'unknown_event_type' },
    ])
    expect((await run('Webhooks')).nodes).toEqual([])
  })
})

test('updateWebhook changes the given fields only, and null clears the description and the headers', async () => {
  const { id, url } = await tenant.addWebhook({ headers: { 'X-Key': 'abc' } })
  const input = { enabled: false, description: 'Later' }
  expect((await update(id, input)).webhook).toMatchObject({
    ...{ url, eventSubscriptions: [{ name: JOINED }], headerNames: ['X-Key'] },
    ...input,
  })
  const { webhook } = await update(id, { description: null, headers: null })
  expect(webhook).toMatchObject({ description: null, headerNames: [], enabled: false })
})

describe('updateWebhook with ifRevision', () => {
  test('of two updates of a field at the same time, one succeeds and one is a conflict', async () => {
    const { id } = await tenant.addWebhook()
    const descriptions = ['One', 'Two']
    const results = await Promise.all(
      descriptions.map((description) => update(id, { description, ifRevision: 1 })),
    )
    const won = results.find(({ __typename }) => __typename === 'UpdateWebhookSuccess')
    const { description } = won.webhook
    expect(descriptions).toContain(description)
    expect(results.find((result) => result !== won)).toEqual({
      ...{ __typename: 'EditConflictError', code: 'conflict', revision: 2 },
      message: expect.stringMatching(/^Somebody else made changes /),
      changedAt: expect.any(String),
      changedBy: expect.any(String),
    })
    expect(await run('Webhook', { id })).toMatchObject({ description, revision: 2 })
  })

  test('a rotated secret is a conflict', async () => {
    const { id } = await tenant.addWebhook()
    await run('RotateSigningSecret', { id })
    expect(await update(id, { maxInFlight: 3, ifRevision: 1 })).toMatchObject({ revision: 2 })
  })

  test('only a caller with keys:manage learns who made the change', async () => {
    const { id } = await tenant.addWebhook()
    await update(id, { description: 'Theirs' })
    const { organizationId } = tenant
    const { prisma } = api.database
    const { token } = await createApiKey(prisma, { organizationId, scopes: ['webhooks:write'] })
    const input = { description: 'Mine', ifRevision: 1 }
    const { data } = await api.call(token, document('webhooks', 'UpdateWebhook'), { id, input })
    expect(data.updateWebhook).toMatchObject({ revision: 2, changedBy: null })
  })
})

describe('the headers of a webhook', () => {
  test('are revealed only with an entry in the audit log, which has their names', async () => {
    const headers = { 'X-Key': 'abc', Authorization: 'Bearer sk_live_1' }
    const { id } = await tenant.addWebhook({ headers })
    const names = Object.keys(headers)
    expect((await run('Webhook', { id })).headerNames).toEqual(names)
    expect(await reveal(id)).toEqual(
      Object.entries(headers).map(([name, value]) => ({ name, value })),
    )
    const entries = await api.database.prisma.auditEntry.findMany({ where: { subjectId: id } })
    expect(entries.filter(({ action }) => action === 'custom_headers.revealed')).toMatchObject([
      { before: null, after: { headers: names } },
    ])
    expect(JSON.stringify(entries)).not.toContain('sk_live_1')
  })

  test('are kept, replaced, removed and added, without reading their values', async () => {
    const before = { 'X-Kept': '1', 'X-Replaced': '3', 'X-Gone': '4' }
    const { id } = await tenant.addWebhook({ headers: before })
    const headers = [
      { name: 'x-kept' },
      { name: 'X-Replaced', value: 'three' },
      { name: 'X-Added', value: '5' },
    ]
    const { webhook } = await update(id, { headers })
    expect(webhook.headerNames).toEqual(headers.map(({ name }) => name))
    expect((await reveal(id)).map(({ value }: { value: string }) => value)).toEqual([
      ...['1', 'three', '5'],
    ])
  })

  test('stay as they are if a value to keep is not stored', async () => {
    const { id } = await tenant.addWebhook({ headers: { 'X-Key': 'abc' } })
    const before = await traceOf(api.database, id)
    const headers = [{ name: 'X-Keys' }, { name: 'X-Other' }]
    expect(await update(id, { headers })).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          path: ['headers', 'X-Keys', 'value'],
          code: 'unknown_header',
          message:
            'headers.X-Keys.value is needed: the webhook has no header "X-Keys" whose value to keep. Did you mean "X-Key"?',
        },
        { path: ['headers', 'X-Other', 'value'], code: 'unknown_header' },
      ],
    })
    expect(await traceOf(api.database, id)).toEqual(before)
  })
})

test('a deleted webhook is gone; its deliveries keep its id and have no webhook', async () => {
  const { id } = await tenant.addWebhook()
  await tenant.publish()
  expect(await run('DeleteWebhook', { id })).toEqual({ __typename: 'DeleteWebhookSuccess', id })
  const [delivery] = await tenant.deliveryIds()
  const read =
    'query ($d: ID!, $w: ID!) { delivery(id: $d) { webhookId webhook { id } } webhook(id: $w) { id } node(id: $w) { id } webhooks { nodes { id } } deliveries(filter: { webhookIds: [$w] }) { nodes { id } } }'
  expect(await tenant.ask(read, { d: delivery, w: id })).toEqual({
    delivery: { webhookId: id, webhook: null },
    webhook: null,
    node: null,
    webhooks: { nodes: [] },
    deliveries: { nodes: [{ id: delivery }] },
  })
})

test('after a rotation, a webhook has the new secret and the old one, which expires', async () => {
  const { id } = await tenant.addWebhook()
  const before = await run('Webhook', { id })
  const { signingSecret } = await run('RotateSigningSecret', { id })
  expect(signingSecret).toMatchObject({ key: expect.stringMatching(/^whsec_/), expiresAt: null })
  const after = await run('Webhook', { id })
  expect(after.signingSecret.key).toBe(signingSecret.key)
  expect(after.expiringSigningSecrets).toMatchObject([{ key: before.signingSecret.key }])
})
