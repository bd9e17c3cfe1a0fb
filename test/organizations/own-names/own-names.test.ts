import type { GraphQLInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { mintId } from '../../../src/db/ids.ts'
import { schema } from '../../../src/server/schema.ts'
import { useApi, useTenant } from '../../graphql/support/api.ts'
import { document } from '../../graphql/support/document.ts'
import { countRows, WAITING } from '../../support/count-rows.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { openTransaction } from '../../support/transaction.ts'
import { until } from '../../support/until.ts'

const FIELDS = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }
const INPUT = schema.getType('UpsertWebhookInput') as GraphQLInputObjectType

const outcome = (type: string) => `{
  ... on UserError { code message }
  ... on ValidationError { issues { path code message } }
  ... on ${type}Success { webhook { id uid metadata revision } } }`
const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) ${outcome('CreateWebhook')} }`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) ${outcome('UpdateWebhook')} }`
const FIND = `query ($uid: String, $id: ID) { webhook(id: $id, uid: $uid) { id uid metadata } }`
const LIST = `query ($filter: WebhookFilter) {
  webhooks(filter: $filter) { totalCount nodes { uid } }
}`

const api = await useApi()
const { pool, prisma } = api.database
const operator = await api.tenant(['admin'])
const tenant = useTenant(api)

const call = (query: string, variables = {}) => api.call(tenant.token, query, variables)

const create = async (options: object) =>
  (await tenant.ask(CREATE, { input: { ...FIELDS, ...options } })).createWebhook
const update = async (id: string, input: object) =>
  (await tenant.ask(UPDATE, { id, input })).updateWebhook

async function upsert(uid: string, input: object = {}, token = tenant.token) {
  const variables = { uid, input: { ...FIELDS, ...input } }
  const { data, errors } = await api.call(token, document('webhooks', 'UpsertWebhook'), variables)
  expect(errors).toBeUndefined()
  return data.upsertWebhook
}

const upsertOrganization = (uid: string, input: object) =>
  operator.run('organizations', 'UpsertOrganization', { uid, input })

/** The number of rows that changes of a webhook leave. */
async function traces() {
  const { organizationId } = tenant
  return {
    audit: await prisma.auditEntry.count({
      where: { organizationId, action: { startsWith: 'webhook.' } },
    }),
    bodies: await prisma.webhookBody.count({ where: { organizationId } }),
    webhooks: await prisma.webhook.findMany({ where: { organizationId }, orderBy: { id: 'asc' } }),
    secrets: await prisma.signingSecret.findMany({ where: { webhook: { organizationId } } }),
    jobs: await releases(),
  }
}

/** The jobs that release the backlogs of the organization's webhooks. */
const releases = () =>
  countRows(
    pool,
    `graphile_worker.jobs as j join posthorn.webhooks as w on j.key = 'release:' || posthorn.type_id('wh', w.id)
     where w.organization_id = $1`,
    [tenant.organizationId],
  )

test('a webhook has no uid and no labels at first, and is found by the uid that it is given', async () => {
  const { webhook } = await create({})
  expect(webhook).toMatchObject({ uid: null, metadata: {} })
  const metadata = { team: 'payments', region: 'eu' }
  const changed = await update(webhook.id, { uid: 'orders', metadata })
  expect(changed.webhook).toMatchObject({ uid: 'orders', metadata, revision: 2 })
  expect((await call(FIND, { uid: 'orders' })).data.webhook).toMatchObject({ id: webhook.id })
  expect((await call(FIND, { id: webhook.id })).data.webhook).toMatchObject({ uid: 'orders' })
  expect((await call(FIND, { uid: 'Orders' })).data.webhook).toBeNull()
  expect((await api.call(operator.token, FIND, { uid: 'orders' })).data.webhook).toBeNull()
  const removed = await update(webhook.id, { uid: null, metadata: null })
  expect(removed.webhook).toMatchObject({ uid: null, metadata: {}, revision: 3 })
  expect((await call(FIND, { uid: 'orders' })).data.webhook).toBeNull()
})

test('an object is named by exactly one of id and uid', async () => {
  for (const names of [{}, { id: mintId('webhook'), uid: 'orders' }]) {
    const { errors } = await call(FIND, names)
    expect(errors?.[0].message).toContain('exactly one')
  }
  const { errors } = await call(FIND, { uid: 'a\0' })
  expect(errors?.[0].message).toContain('must not contain the NUL character')
})

test('a uid belongs to one webhook of an organization, and is free again after its deletion', async () => {
  const { webhook } = await create({ uid: 'orders' })
  const taken = { code: 'invalid', issues: [{ path: ['uid'], code: 'uid_taken' }] }
  expect(await create({ uid: 'orders' })).toMatchObject(taken)
  const { webhook: other } = await create({ uid: 'other' })
  expect(await update(other.id, { uid: 'orders' })).toMatchObject(taken)
  expect((await update(other.id, { uid: 'other' })).webhook.revision).toBe(1)

  const neighbor = await api.tenant()
  expect(await upsert('orders', {}, neighbor.token)).toMatchObject({ created: true })

  await tenant.run('webhooks', 'DeleteWebhook', { id: webhook.id })
  expect((await call(FIND, { uid: 'orders' })).data.webhook).toBeNull()
  expect((await update(other.id, { uid: 'orders' })).webhook.uid).toBe('orders')
})

test.each([
  ['', 'at least 1 character'],
  ['a'.repeat(256), 'at most 255 characters'],
  ['a\nb', 'control characters'],
  [' a', 'white space'],
  [mintId('webhook'), 'spelled like an id'],
])('the uid %j is rejected', async (uid, why) => {
  const rejection = { issues: [{ path: ['uid'], message: expect.stringContaining(why) }] }
  expect(await create({ uid })).toMatchObject(rejection)
  expect(await upsert(uid)).toMatchObject(rejection)
  expect(await upsertOrganization(uid, { name: 'A' })).toMatchObject(rejection)
})

test.each([
  'a'.repeat(255),
  'Größe 大',
  'wh_orders',
  mintId('webhook').slice(3),
  // 255 letters of four bytes in UTF-16, which count as two characters each.
  '𝒶'.repeat(127),
])('the uid %j is accepted', async (uid) => {
  expect((await create({ uid })).webhook.uid).toBe(uid)
})

test.each([
  [['a'], [], 'object of strings'],
  [{ a: 1 }, ['a'], 'string'],
  [{ '': 'x' }, [], '1 to 64 characters'],
  [{ ['k'.repeat(65)]: 'x' }, [], '1 to 64 characters'],
  [{ 'a\nb': 'x' }, ['a\nb'], 'control characters'],
  [JSON.parse('{ "__proto__": "x" }'), [], '__proto__'],
  [{ a: 'ä'.repeat(2_045) }, [], '4,096 bytes'],
])('the metadata %j are rejected', async (metadata, path, why) => {
  const issue = { path: ['metadata', ...path], message: expect.stringContaining(why) }
  expect(await create({ metadata })).toMatchObject({ issues: [issue] })
  const variables = { id: operator.publicOrganizationId, input: { metadata } }
  const updated = await operator.run('organizations', 'UpdateOrganization', variables)
  expect(updated).toMatchObject({ issues: [issue] })
})

test('metadata have 4,096 bytes as JSON, and not one more', async () => {
  const metadata = { a: 'x'.repeat(4_096 - '{"a":""}'.length) }
  const { webhook } = await create({ metadata })
  expect(webhook.metadata).toEqual(metadata)
  const more = { metadata: { a: `${metadata.a}x` } }
  const refused = { issues: [{ path: ['metadata'], message: expect.stringContaining('4,097') }] }
  expect(await update(webhook.id, more)).toMatchObject(refused)
  expect(await upsert('new', more)).toMatchObject(refused)
})

test('lists are filtered by uid and by labels', async () => {
  await create({ uid: 'a', metadata: { team: 'payments', region: 'eu' } })
  await create({ uid: 'b', metadata: { team: 'payments' } })
  const odd = { key: 'größe 大 "\\', value: 'two\nlines\n\t"quoted" 𝒶' }
  await create({ uid: 'c', metadata: { [odd.key]: odd.value, empty: '' } })
  const uids = async (filter: object, orderBy = 'NEWEST_FIRST') => {
    const query = LIST.replace('filter: $filter', `filter: $filter, orderBy: ${orderBy}`)
    const { data } = await call(query, { filter })
    expect(data.webhooks.totalCount).toBe(data.webhooks.nodes.length)
    return data.webhooks.nodes.map(({ uid }: { uid: string }) => uid).sort()
  }
  const team = { key: 'team', value: 'payments' }
  for (const order of ['NEWEST_FIRST', 'ATTENTION_FIRST']) {
    expect(await uids({ metadata: [team] }, order)).toEqual(['a', 'b'])
    expect(await uids({ metadata: [team, { key: 'region', value: 'eu' }] }, order)).toEqual(['a'])
    expect(await uids({ metadata: [{ key: 'team', value: 'pay' }] }, order)).toEqual([])
    expect(await uids({ metadata: [{ key: 'no', value: '' }] }, order)).toEqual([])
    expect(await uids({ metadata: [odd, { key: 'empty', value: '' }] }, order)).toEqual(['c'])
    expect(await uids({ uid: 'b' }, order)).toEqual(['b'])
    expect(await uids({ uid: 'b', metadata: [{ key: 'region', value: 'eu' }] }, order)).toEqual([])
  }
  const { errors } = await call(LIST, { filter: { metadata: [{ key: 'a\0', value: '' }] } })
  expect(errors?.[0].message).toContain('metadata')
  const { errors: empty } = await call(LIST, { filter: { metadata: [] } })
  expect(empty?.[0].message).toContain('omit it')
})

describe('upsertWebhook', () => {
  const FULL = {
    description: 'Orders of the shop',
    enabled: true,
    headers: [
      { name: 'X-Key', value: 'secret' },
      { name: 'X-Another', value: 'b' },
    ],
    filter: { path: '$.total', op: 'greater', value: 100 },
    template: '{ "text": "{{ data.order.id }}" }',
    metadata: { team: 'payments', region: 'eu' },
    rateLimitPerSecond: 50,
    retryScheduleSeconds: [5, 60],
    ordered: true,
  }

  test.each<[string, object]>([
    ['all fields', FULL],
    ['a selection', { selection: '{ ... on EventAttendeeJoinedEvent { __typename } }' }],
    ['patterns', { eventSubscriptions: ['event_attendee.*'] }],
    [
      'a secret and a header prefix',
      { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, headerPrefix: 'svix-' },
    ],
  ])(
    'a first run with %s creates, and a second one changes nothing at all',
    async (_what, input) => {
      const first = await upsert('orders', { ...input, enabled: true })
      expect(first).toMatchObject({ created: true, changed: true, webhook: { uid: 'orders' } })
      const before = await traces()
      expect(before).toMatchObject({ audit: 1 })
      const second = await upsert('orders', { ...input, enabled: true })
      expect(second).toEqual({ ...first, created: false, changed: false })
      expect(await traces()).toEqual(before)
    },
  )

  test('the same settings in another spelling change nothing', async () => {
    const subscriptions = ['event_attendee.ticket_success', JOINED]
    const first = await upsert('orders', { ...FULL, eventSubscriptions: subscriptions })
    const { filter, ...others } = FULL
    const again = await upsert('orders', {
      ...others,
      eventSubscriptions: [...subscriptions.toReversed(), JOINED],
      filterText: '{"op": "greater", "value": 1.00e2, "path": "$.total"}',
      headers: FULL.headers.toReversed(),
      metadata: { region: 'eu', team: 'payments' },
    })
    expect(again).toEqual({ ...first, created: false, changed: false })
    const filterText = JSON.stringify({ ...filter, value: 100.5 })
    expect(await upsert('orders', { ...others, filterText })).toMatchObject({ changed: true })
  })

  test('only a run that enables the webhook releases its backlog', async () => {
    const { webhook } = await upsert('orders', { enabled: false })
    expect((await traces()).jobs).toBe(0)
    await upsert('orders', { enabled: true })
    expect((await traces()).jobs).toBe(1)
    await pool.query('select graphile_worker.remove_job($1)', [`release:${webhook.id}`])
    await upsert('orders', { enabled: true })
    expect((await traces()).jobs).toBe(0)
  })

  test.each([
    ['is deleted', 'deleted_at = now(), enabled = false, headers_ciphertext = null'],
    ['gets another uid', `uid = 'another'`],
  ])('a run while the webhook %s creates another one', async (_what, change) => {
    const { webhook } = await upsert('orders', FULL)
    using client = await openTransaction(pool)
    await client.query(
      `update posthorn.webhooks set ${change} where id = posthorn.parse_type_id('wh', $1)`,
      [webhook.id],
    )
    const waiting = upsert('orders', FULL)
    await until(() => countRows(pool, WAITING), 'the upsert waits for the change')
    await client.query('commit')
    const created = await waiting
    expect(created).toMatchObject({ created: true, webhook: { uid: 'orders' } })
    expect(created.webhook.id).not.toBe(webhook.id)
  })

  test('a change changes what is given, and the secret stays', async () => {
    const { webhook } = await upsert('orders', FULL)
    const before = await traces()
    const changed = await upsert('orders', { eventSubscriptions: [TICKET], filter: null })
    expect(changed).toMatchObject({
      created: false,
      changed: true,
      webhook: { id: webhook.id, revision: 2, metadata: FULL.metadata },
    })
    const after = await traces()
    expect(after.secrets).toEqual(before.secrets)
    expect(after.audit).toBe(2)
    expect(after.webhooks).toMatchObject([
      { eventSubscriptions: [TICKET], filter: null, enabled: true, rateLimitPerSecond: 50 },
    ])
  })

  test('null is the default, in a new webhook and in an existing one', async () => {
    const optional = Object.keys(INPUT.getFields()).filter((name) => !(name in FIELDS))
    const nothing = Object.fromEntries(optional.map((name) => [name, null]))
    const created = await upsert('new', nothing)
    expect(created).toMatchObject({ created: true, webhook: { enabled: false, metadata: {} } })
    await upsert('old', FULL)
    expect(await upsert('old', nothing)).toMatchObject({ changed: true, webhook: { metadata: {} } })
    const [fresh, emptied] = (await traces()).webhooks
    const { id, uid, revision, updatedAt, createdAt, bodyId, ...same } = fresh as NonNullable<
      typeof fresh
    >
    expect(emptied).toMatchObject(same)
  })

  test('of concurrent calls, one creates the webhook', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => upsert('orders', FULL)))
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1)
    expect(new Set(answers.map(({ webhook }) => webhook.id)).size).toBe(1)
    expect(await traces()).toMatchObject({ audit: 1, webhooks: [{ uid: 'orders' }] })
  })
})

test('a session neither gives nor takes own names, and finds webhooks by them', async () => {
  const { webhook } = await create({ uid: 'orders', metadata: { team: 'payments' } })
  const { token } = await tenant.run('frontend-sessions', 'CreateFrontendSession', {
    input: { scopes: ['webhooks:read', 'webhooks:write'] },
  })
  const refused = { issues: [{ path: ['metadata'], code: 'not_supported' }] }
  const input = { metadata: {} }
  const updated = await api.call(token, UPDATE, { id: webhook.id, input })
  expect(updated.data.updateWebhook).toMatchObject(refused)
  const created = await api.call(token, CREATE, { input: { ...FIELDS, ...input } })
  expect(created.data.createWebhook).toMatchObject(refused)
  expect(await upsert('orders', {}, token)).toMatchObject({ issues: [{ path: ['uid'] }] })
  const found = await api.call(token, FIND, { uid: 'orders' })
  expect(found.data.webhook).toMatchObject({ id: webhook.id })
})

describe('organizations', () => {
  const find = (uid: string) => operator.run('organizations', 'OrganizationByUid', { uid })

  test('a second upsert changes nothing, and another one what is given', async () => {
    const input = { name: 'Acme', metadata: { plan: 'pro', tier: '1' } }
    const first = await upsertOrganization('acme', input)
    expect(first).toMatchObject({ created: true, changed: true, organization: { revision: 1 } })
    const second = await upsertOrganization('acme', input)
    expect(second).toEqual({ ...first, created: false, changed: false })
    const third = await upsertOrganization('acme', { name: 'Acme Ltd' })
    expect(third).toMatchObject({
      created: false,
      changed: true,
      organization: { name: 'Acme Ltd', revision: 2, metadata: input.metadata },
    })
    expect(await find('acme')).toMatchObject({ name: 'Acme Ltd', uid: 'acme' })
    expect(await find('Acme')).toBeNull()
  })

  test('of concurrent upserts, one creates the organization', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => upsertOrganization('together', { name: 'Together' })),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ organization }) => organization.id)).size).toBe(1)
  })

  test('a uid belongs to one organization, and is free at once after its deletion', async () => {
    const { organization } = await upsertOrganization('leaving', { name: 'Leaving' })
    await operator.run('organizations', 'DeleteOrganization', { id: organization.id })
    expect(await find('leaving')).toBeNull()
    await upsertOrganization('taken', { name: 'First' })
    const variables = { id: operator.publicOrganizationId, input: { uid: 'taken' } }
    const updated = await operator.run('organizations', 'UpdateOrganization', variables)
    expect(updated).toMatchObject({ issues: [{ code: 'uid_taken' }] })
    const again = await upsertOrganization('leaving', { name: 'Back' })
    expect(again).toMatchObject({ created: true, organization: { uid: 'leaving' } })
    expect(again.organization.id).not.toBe(organization.id)
  })

  test('the list is filtered by uid and by labels, in each order', async () => {
    await upsertOrganization('filtered-1', { name: 'One', metadata: { plan: 'x', 'a b': '1' } })
    await upsertOrganization('filtered-2', { name: 'Two', metadata: { plan: 'x' } })
    for (const orderBy of ['NEWEST_FIRST', 'DAMAGE_FIRST']) {
      const list = `query ($filter: OrganizationFilter) {
        organizations(filter: $filter, orderBy: ${orderBy}) { nodes { uid } }
      }`
      const uids = async (filter: object) => {
        const { organizations } = await operator.ask(list, { filter })
        return organizations.nodes.map(({ uid }: { uid: string }) => uid).sort()
      }
      const plan = { key: 'plan', value: 'x' }
      expect(await uids({ metadata: [plan] })).toEqual(['filtered-1', 'filtered-2'])
      expect(await uids({ metadata: [plan, { key: 'a b', value: '1' }] })).toEqual(['filtered-1'])
      expect(await uids({ uid: 'filtered-2', search: 'tw' })).toEqual(['filtered-2'])
    }
  })

  test('the header posthorn-organization takes a uid, in UTF-8', async () => {
    const { organization } = await upsertOrganization('größe 1', { name: 'Größe' })
    const body = { query: '{ viewer { organization { id } } }' }
    const viewer = (header: string) => {
      const named = Buffer.from(header).toString('latin1')
      return api.send(operator.token, body, { 'posthorn-organization': named })
    }
    for (const header of ['größe 1', organization.id]) {
      expect((await viewer(header)).data.viewer.organization.id).toBe(organization.id)
    }
    for (const header of ['', 'Größe', mintId('organization'), mintId('webhook')]) {
      const { data, errors } = await viewer(header)
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining('does not name an organization'),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ])
    }
  })
})
