import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { createApiKey } from '../support/api-keys.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, deliveryIds, publish } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(tenant.token, document('webhooks', operation), variables)
}

type Issue = { readonly path: readonly string[]; readonly code: string }

/** What a change leaves beside the fields. */
async function traceOf(id: string) {
  const { prisma } = api.database
  const uuid = parseId('webhook', id) as string
  const { revision } = await prisma.webhook.findUniqueOrThrow({ where: { id: uuid } })
  return { revision, audited: await prisma.auditEntry.count({ where: { subjectId: id } }) }
}

/** The headers with their values. */
async function reveal(webhookId: string) {
  const { data } = await call('RevealHeaders', { id: webhookId })
  return data.revealHeaders.headers
}

describe('createWebhook', () => {
  test('registers a webhook, disabled by default', async () => {
    const input = { url: 'https://example.com/hook', eventSubscriptions: [JOINED, JOINED] }
    const { data, errors } = await call('CreateWebhook', { input })
    expect(errors).toBeUndefined()
    expect(data.createWebhook).toMatchObject({
      __typename: 'CreateWebhookSuccess',
      webhook: {
        ...{ id: expect.stringMatching(/^wh_/), url: input.url, description: null },
        ...{ enabled: false, eventSubscriptions: [{ name: JOINED }], headerNames: [], revision: 1 },
      },
    })
  })

  test('stores every given field', async () => {
    const input = {
      url: 'https://example.com/hook?a=1',
      eventSubscriptions: [JOINED, TICKET],
      description: 'Ticket office',
      enabled: true,
      headers: [
        { name: 'X-Api-Key', value: 'abc' },
        { name: 'x-trace', value: '1' },
      ],
    }
    const { data } = await call('CreateWebhook', { input })
    const { headers, ...fields } = input
    expect(data.createWebhook.webhook).toMatchObject({
      ...fields,
      eventSubscriptions: [{ name: JOINED }, { name: TICKET }],
      headerNames: ['X-Api-Key', 'x-trace'],
    })
    expect(await reveal(data.createWebhook.webhook.id)).toEqual(headers)
  })

  test('lists all problems, and changes nothing', async () => {
    const input = {
      url: 'http://example.com',
      eventSubscriptions: ['event_attendee.joined'],
      headers: [{ name: 'wh-id', value: 'x' }],
    }
    const { data } = await call('CreateWebhook', { input })
    expect(data.createWebhook).toMatchObject({ __typename: 'ValidationError', code: 'invalid' })
    const { issues, message } = data.createWebhook
    expect(issues.map(({ path, code }: Issue) => [path.join('.'), code])).toEqual([
      ['headers.wh-id', 'reserved_header'],
      ['url', 'not_https'],
      ['eventSubscriptions.0', 'unknown_event_type'],
    ])
    expect(message).toBe(
      'headers.wh-id is set by Posthorn or by the connection. Use another name. The URL is not HTTPS. Give one that begins with https://. There is no event type "event_attendee.joined". Did you mean "event_attendee.joined_event"?',
    )
    const { data: list } = await call('Webhooks')
    expect(list.webhooks.nodes).toEqual([])
  })

  test.each([
    ['to the letter', ['X-Key', 'X-Key'], ['headers', '1', 'name']],
    ['in another case', ['X-Key', 'x-key'], ['headers', 'x-key']],
  ])('a header named twice, %s, is rejected', async (_what, names, path) => {
    const headers = names.map((name) => ({ name, value: 'v' }))
    const input = { url: 'https://example.com', eventSubscriptions: [JOINED], headers }
    const { data } = await call('CreateWebhook', { input })
    expect(data.createWebhook).toMatchObject({
      __typename: 'ValidationError',
      code: 'invalid',
      issues: [{ path, code: 'duplicate_header' }],
    })
  })
})

describe('webhook and webhooks', () => {
  test('a webhook is read with its secrets', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const { data } = await call('Webhook', { id })
    expect(data.webhook).toMatchObject({
      ...{ id, url: 'https://example.com/hook', enabled: true, headerNames: [], revision: 1 },
      ...{ rateLimitPerSecond: null, retryScheduleSeconds: null, expiringSigningSecrets: [] },
      signingSecret: { key: expect.stringMatching(/^whsec_/), expiresAt: null },
    })
  })
})

describe('updateWebhook', () => {
  test('changes the given fields only', async () => {
    const webhook = await addWebhook(api, tenant.organizationId, { headers: { 'X-Key': 'abc' } })
    const input = { enabled: false, description: 'Later' }
    const { data } = await call('UpdateWebhook', { id: webhook.id, input })
    expect(data.updateWebhook.webhook).toMatchObject({
      url: webhook.url,
      eventSubscriptions: [{ name: JOINED }],
      headerNames: ['X-Key'],
      ...input,
    })
  })

  test('the same values change nothing, nor the time, the revision and the audit log', async () => {
    const { id } = await addWebhook(api, tenant.organizationId, { headers: { 'X-Key': 'abc' } })
    const { data: set } = await call('UpdateWebhook', {
      id,
      input: { description: 'Doors', maxInFlight: 3, retryScheduleSeconds: [5, 60] },
    })
    const before = await traceOf(id)
    const same = {
      url: 'https://example.com/hook',
      description: 'Doors',
      eventSubscriptions: [JOINED],
      headers: [{ name: 'X-Key', value: 'abc' }],
      rateLimitPerSecond: null,
      maxInFlight: 3,
      retryScheduleSeconds: [5, 60],
      timeoutSeconds: null,
      ordered: null,
    }
    for (const input of [{}, same, { ...same, headers: [{ name: 'X-Key' }] }]) {
      const { data } = await call('UpdateWebhook', { id, input })
      expect(data.updateWebhook.webhook).toEqual(set.updateWebhook.webhook)
      expect(await traceOf(id)).toEqual(before)
    }
    await call('UpdateWebhook', { id, input: { retryScheduleSeconds: [] } })
    expect(await traceOf(id)).toEqual({
      revision: before.revision + 1n,
      audited: before.audited + 1,
    })
  })

  test('null clears the description and the headers', async () => {
    const { id } = await addWebhook(api, tenant.organizationId, { headers: { 'X-Key': 'abc' } })
    await call('UpdateWebhook', { id, input: { description: 'Later' } })
    const { data } = await call('UpdateWebhook', {
      id,
      input: { description: null, headers: null },
    })
    expect(data.updateWebhook.webhook).toMatchObject({ description: null, headerNames: [] })
  })

  test('null is rejected for required fields', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const input = { url: null, enabled: null, eventSubscriptions: null }
    const { data } = await call('UpdateWebhook', { id, input })
    expect(data.updateWebhook.__typename).toBe('ValidationError')
    expect(data.updateWebhook.issues.map(({ path }: { path: string[] }) => path)).toEqual([
      ['url'],
      ['enabled'],
      ['eventSubscriptions'],
    ])
  })
})

describe('updateWebhook with ifRevision', () => {
  const update = async (id: string, input: object) =>
    (await call('UpdateWebhook', { id, input })).data.updateWebhook

  test('of two updates of a field at the same time, one succeeds and one is a conflict', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const descriptions = ['One', 'Two']
    const results = await Promise.all(
      descriptions.map((description) => update(id, { description, ifRevision: 1 })),
    )
    const won = results.find(({ __typename }) => __typename === 'UpdateWebhookSuccess')
    const lost = results.find((result) => result !== won)
    expect(descriptions).toContain(won.webhook.description)
    expect(lost).toEqual({
      __typename: 'EditConflictError',
      code: 'conflict',
      message: expect.stringMatching(/^Somebody else made changes /),
      revision: 2,
      changedAt: expect.any(String),
      changedBy: expect.any(String),
    })
    const { data } = await call('Webhook', { id })
    expect(data.webhook).toMatchObject({ description: won.webhook.description, revision: 2 })
  })

  test('the same change by both is no conflict, and the present revision overwrites', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    await update(id, { description: 'Theirs', ifRevision: 1 })
    expect(await update(id, { description: 'Theirs', ifRevision: 1 })).toMatchObject({
      webhook: { revision: 2 },
    })
    const { revision } = await update(id, { description: 'Mine', ifRevision: 1 })
    expect(await update(id, { description: 'Mine', ifRevision: revision })).toMatchObject({
      webhook: { description: 'Mine' },
    })
  })

  test('a header to keep that somebody removed is a conflict, and so is a rotated secret', async () => {
    const { id } = await addWebhook(api, tenant.organizationId, { headers: { 'X-Key': 'secret' } })
    await update(id, { headers: [{ name: 'X-Token', previousName: 'X-Key' }], ifRevision: 1 })
    const lost = await update(id, { headers: [{ name: 'X-Key' }], ifRevision: 1 })
    expect(lost).toMatchObject({ __typename: 'EditConflictError', revision: 2 })
    await call('RotateSigningSecret', { id })
    expect(await update(id, { maxInFlight: 3, ifRevision: 2 })).toMatchObject({ revision: 3 })
  })

  test('only a caller with keys:manage learns who made the change', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    await update(id, { description: 'Theirs' })
    const { token } = await createApiKey(api.database.prisma, {
      organizationId: tenant.organizationId,
      scopes: ['webhooks:write'],
    })
    const input = { description: 'Mine', ifRevision: 1 }
    const { data } = await api.call(token, document('webhooks', 'UpdateWebhook'), { id, input })
    expect(data.updateWebhook).toMatchObject({ revision: 2, changedBy: null })
  })

  test.each([0, 2])('the revision %i of a new webhook is rejected', async (ifRevision) => {
    const { id } = await addWebhook(api, tenant.organizationId)
    expect(await update(id, { description: 'Mine', ifRevision })).toMatchObject({
      issues: [{ path: ['ifRevision'], code: 'unknown_revision' }],
    })
  })
})

describe('the headers of a webhook', () => {
  const add = (headers: Record<string, string>) =>
    addWebhook(api, tenant.organizationId, { headers })

  test('are revealed only with an entry in the audit log, which has their names', async () => {
    const { id } = await add({ 'X-Key': 'abc', Authorization: 'Bearer sk_live_1' })
    const { data } = await call('Webhook', { id })
    expect(data.webhook.headerNames).toEqual(['X-Key', 'Authorization'])
    expect(await reveal(id)).toEqual([
      { name: 'X-Key', value: 'abc' },
      { name: 'Authorization', value: 'Bearer sk_live_1' },
    ])
    const entries = await api.database.prisma.auditEntry.findMany({ where: { subjectId: id } })
    expect(entries.filter(({ action }) => action === 'custom_headers.revealed')).toMatchObject([
      { before: null, after: { headers: ['X-Key', 'Authorization'] } },
    ])
    expect(JSON.stringify(entries)).not.toContain('sk_live_1')
  })

  test('are kept, replaced, renamed, removed and added, without reading their values', async () => {
    const { id } = await add({ 'X-Kept': '1', 'X-Old': '2', 'X-Replaced': '3', 'X-Gone': '4' })
    const headers = [
      { name: 'x-kept' },
      { name: 'X-New', previousName: 'x-old' },
      { name: 'X-Replaced', value: 'three' },
      { name: 'X-Added', value: '5' },
    ]
    const { data } = await call('UpdateWebhook', { id, input: { headers } })
    expect(data.updateWebhook.webhook.headerNames).toEqual(headers.map(({ name }) => name))
    expect((await reveal(id)).map(({ value }: { value: string }) => value)).toEqual([
      '1',
      '2',
      'three',
      '5',
    ])
  })

  test('can exchange their names', async () => {
    const { id } = await add({ 'X-A': '1', 'X-B': '2' })
    const headers = [
      { name: 'X-A', previousName: 'X-B' },
      { name: 'X-B', previousName: 'X-A' },
    ]
    await call('UpdateWebhook', { id, input: { headers } })
    expect(await reveal(id)).toEqual([
      { name: 'X-A', value: '2' },
      { name: 'X-B', value: '1' },
    ])
  })

  test('stay as they are if a value to keep is not stored', async () => {
    const { id } = await add({ 'X-Key': 'abc' })
    const before = await traceOf(id)
    const headers = [{ name: 'X-Keys' }, { name: 'X-Other', previousName: 'nothing-alike' }]
    const { data } = await call('UpdateWebhook', { id, input: { headers } })
    expect(data.updateWebhook).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          path: ['headers', 'X-Keys', 'value'],
          code: 'unknown_header',
          message:
            'headers.X-Keys needs a value: the webhook has no header "X-Keys" whose value to keep. Did you mean "X-Key"?',
        },
        { path: ['headers', 'X-Other', 'value'], code: 'unknown_header' },
      ],
    })
    expect(await traceOf(id)).toEqual(before)
  })
})

describe('deleteWebhook', () => {
  test('deletes the webhook; its deliveries keep its id and have no webhook', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    await publish(api, tenant.organizationId)
    const { data } = await call('DeleteWebhook', { id })
    expect(data).toEqual({ deleteWebhook: { __typename: 'DeleteWebhookSuccess', id } })

    const [delivery] = await deliveryIds(api.database, tenant.organizationId)
    const read =
      'query ($d: ID!, $w: ID!) { delivery(id: $d) { webhookId webhook { id } } webhook(id: $w) { id } node(id: $w) { id } webhooks { nodes { id } } deliveries(filter: { webhookIds: [$w] }) { nodes { id } } }'
    const after = await api.call(tenant.token, read, { d: delivery, w: id })
    expect(after.data).toEqual({
      delivery: { webhookId: id, webhook: null },
      webhook: null,
      node: null,
      webhooks: { nodes: [] },
      deliveries: { nodes: [{ id: delivery }] },
    })
  })
})

describe('rotateSigningSecret', () => {
  test('the new secret signs, the old one expires in 24 hours', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const { data: before } = await call('Webhook', { id })
    const { data } = await call('RotateSigningSecret', { id })
    const { signingSecret } = data.rotateSigningSecret
    expect(signingSecret).toMatchObject({ key: expect.stringMatching(/^whsec_/), expiresAt: null })

    const { data: after } = await call('Webhook', { id })
    expect(after.webhook.signingSecret.key).toBe(signingSecret.key)
    const [old, ...others] = after.webhook.expiringSigningSecrets
    expect(others).toEqual([])
    expect(old.key).toBe(before.webhook.signingSecret.key)
    const hours = (Date.parse(old.expiresAt) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
  })

  test('returns NotFoundError for an unknown webhook', async () => {
    const { data } = await call('RotateSigningSecret', { id: 'wh_nonsense' })
    expect(data.rotateSigningSecret).toMatchObject({ __typename: 'NotFoundError' })
  })
})

describe('totalCount', () => {
  const query = `query ($filter: WebhookFilter, $first: Int) {
    webhooks(first: $first, filter: $filter) { totalCount nodes { id } }
  }`

  test('counts all pages, with the filter applied', async () => {
    for (const eventSubscriptions of [[JOINED], [JOINED], [TICKET]]) {
      const input = { url: 'https://example.com/hook', eventSubscriptions }
      await call('CreateWebhook', { input })
    }
    const all = await api.call(tenant.token, query, { first: 1 })
    expect(all.data?.['webhooks']).toMatchObject({ totalCount: 3, nodes: [{}] })
    const some = await api.call(tenant.token, query, { first: 0, filter: { subscribesTo: TICKET } })
    expect(some.data?.['webhooks']).toEqual({ totalCount: 1, nodes: [] })
  })

  test('counts only the own organization, and reads nothing unless selected', async () => {
    const other = await api.tenant()
    await call('CreateWebhook', {
      input: { url: 'https://example.com/hook', eventSubscriptions: [JOINED] },
    })
    const { data } = await api.call(other.token, query, {})
    expect(data?.['webhooks']).toEqual({ totalCount: 0, nodes: [] })
    await api.call(tenant.token, '{ webhooks { nodes { id } } }', {})
    expect(api.statements.list).toEqual(['authenticate', 'select webhooks'])
  })
})
