import {
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, SCOPES } from '../../src/access/scope.ts'
import { createApiKey } from '../../src/api-keys/api-key.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { FENCED_TYPES, FENCES } from '../../src/graphql/fences.ts'
import { createGraphqlHandler } from '../../src/graphql/handler.ts'
import type { LiveEvent } from '../../src/live/live-event.ts'
import { notify } from '../../src/live/notify.ts'
import { schema } from '../../src/server/schema.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { type Answer, type Api, openApi, readAnswer, request } from '../graphql/support/api.ts'
import { addAttempt, publish } from '../graphql/support/rows.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { until } from '../support/until.ts'

let api: Api
let organizationId: string
let own: Things
let other: Things
/** An event that both received, and one that only the other did. */
let shared: string
let others: string
let ordinary: (query: string) => Promise<Answer>
let restricted: (query: string) => Promise<Answer>
let handleRestricted: ReturnType<typeof createGraphqlHandler>

interface Things {
  readonly webhook: string
  readonly delivery: string
  readonly attempt: string
  readonly recovery: string
  readonly key: string
}

beforeAll(async () => {
  api = await openApi()
  const tenant = await api.tenant(SCOPES)
  organizationId = tenant.organizationId
  const ownWebhook = await addWebhook('own', [JOINED])
  const otherWebhook = await addWebhook('other', [JOINED, TICKET])
  ;[shared = ''] = await publish(api, organizationId)
  const [published] = await api.deps.publishEvents(organizationId, [
    { type: TICKET, data: { marker: 'other-payload' } },
  ])
  others = published?.id as string
  own = await thingsOf(ownWebhook, shared)
  other = await thingsOf(otherWebhook, others)
  ordinary = (query) => api.call(tenant.token, query)

  // With every scope there is, so that nothing but the fence stands in the way.
  const caller: Caller = {
    keyId: parseId('apiKey', own.key) as string,
    organizationId,
    scopes: new Set(SCOPES),
    limits: { requestsPerSecond: 1e6, eventsPerSecond: 1e6 },
    portal: {
      webhookId: parseId('webhook', own.webhook),
      expiresAt: new Date(Date.now() + 60_000),
    },
  }
  const authenticate = async () => caller
  handleRestricted = createGraphqlHandler({ ...api.deps, authenticate })
  restricted = async (query) => readAnswer(await handleRestricted(request('any', { query })))
})
afterAll(() => api[Symbol.asyncDispose]())

async function addWebhook(name: string, eventSubscriptions: string[]): Promise<string> {
  const { id } = await createWebhook(api.deps.webhooks, organizationId, {
    url: `https://${name}-url.example/`,
    description: `${name}-description`,
    headers: { 'X-Key': `${name}-header` },
    enabled: true,
    eventSubscriptions,
  })
  return id
}

/** One of each thing that belongs to a webhook. */
async function thingsOf(webhook: string, event: string): Promise<Things> {
  const { prisma } = api.database
  const webhookId = parseId('webhook', webhook) as string
  const eventId = parseId('event', event) as string
  const row = await prisma.delivery.findFirstOrThrow({ where: { webhookId, eventId } })
  const delivery = publicId('delivery', row.id)
  const attempt = await addAttempt(api.database, delivery)
  const { rows } = await api.database.pool.query<{ id: string }>(
    `insert into posthorn.recoveries (organization_id, webhook_id, since, until, include, rate_per_second,
       total, total_is_exact, step, reached_id)
     values ($1, $2, now() - interval '1 hour', now(), 'failed', 1, 1, true, 'failed', $3) returning id`,
    [organizationId, webhookId, row.id],
  )
  const { key } = await createApiKey(prisma, { organizationId, scopes: ['webhooks:read'] })
  return {
    webhook,
    delivery,
    attempt,
    recovery: publicId('recovery', rows[0]?.id as string),
    key: publicId('apiKey', key.id),
  }
}

/** What nobody who is restricted to the first webhook may ever be shown. */
const markers = () => [
  ...Object.values(other),
  others,
  'other-url',
  'other-description',
  'other-header',
  'other-payload',
]
const shown = ({ data, errors }: Answer) => {
  const text = JSON.stringify({ data, errors })
  return markers().filter((marker) => text.includes(marker))
}

/** Everything that a field can be asked for, each type once on the way down. */
function everything(type: GraphQLObjectType, above: readonly string[]): string {
  const fields = Object.values(type.getFields()).flatMap((field) => fieldWithin(field, above))
  return `{ __typename ${fields.join(' ')} }`
}

function fieldWithin(
  { name, type, args }: GraphQLField<unknown, unknown>,
  above: readonly string[],
): string[] {
  const given = args.flatMap((argument) => {
    if (argument.name === 'first') return 'first: 1'
    return argument.name === 'since' ? `since: "${hourAgo()}", bucket: DAY` : []
  })
  const asked = given.length > 0 ? `${name}(${given.join(', ')})` : name
  const named = getNamedType(type)
  if (!(named instanceof GraphQLObjectType)) return [asked]
  if (above.includes(named.name)) return []
  return [`${asked} ${everything(named, [...above, named.name])}`]
}

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

/** One query, or one for each type that the answer can be of. */
function queriesOf(field: string, args: string): string[] {
  const { [field]: asked } = schema.getQueryType()?.getFields() ?? {}
  if (!asked) throw new Error(`Query has no field ${field}.`)
  const named = getNamedType(asked.type)
  const types = isAbstractType(named) ? schema.getPossibleTypes(named) : [named]
  return types.map((type) => {
    const rest = `... on ${type.name} ${everything(type as GraphQLObjectType, [type.name])}`
    return `{ ${field}${args && `(${args})`} { ${rest} } }`
  })
}

type How = 'open' | 'nothing' | 'narrowed' | 'closed'

/** Each field of Query: how it is fenced, and what it is asked for, which an ordinary key is shown the other by. */
const QUERIES: Record<string, [How, args: () => string, showsOrdinaryKeys?: boolean][]> = {
  viewer: [['open', () => '', false]],
  eventTypes: [['open', () => '', false]],
  node: [
    ['nothing', () => `id: "${other.webhook}"`],
    ['nothing', () => `id: "${other.delivery}"`],
    ['nothing', () => `id: "${other.attempt}"`],
    ['nothing', () => `id: "${other.recovery}"`],
    ['nothing', () => `id: "${other.key}"`],
    ['nothing', () => `id: "${others}"`],
    ['narrowed', () => `id: "${shared}"`],
  ],
  nodes: [
    [
      'narrowed',
      () => `ids: ${JSON.stringify([...Object.values(own), ...Object.values(other), others])}`,
    ],
  ],
  webhook: [['nothing', () => `id: "${other.webhook}"`]],
  webhooks: [
    ['narrowed', () => 'first: 3'],
    ['narrowed', () => 'first: 3, filter: { urlContains: "url" }'],
  ],
  delivery: [['nothing', () => `id: "${other.delivery}"`]],
  deliveries: [
    ['narrowed', () => 'first: 3'],
    ['narrowed', () => 'first: 3, filter: { state: PENDING }'],
    ['closed', () => `first: 3, filter: { webhookId: "${other.webhook}" }`],
  ],
  event: [
    ['nothing', () => `id: "${others}"`],
    ['narrowed', () => `id: "${shared}"`],
  ],
  events: [['closed', () => 'first: 3']],
  recovery: [['nothing', () => `id: "${other.recovery}"`]],
  statistics: [['closed', () => `since: "${hourAgo()}"`, false]],
  apiKeys: [['closed', () => 'first: 5']],
  auditLog: [['closed', () => 'first: 20']],
  organization: [['closed', () => 'id: "org_x"', false]],
  organizations: [['closed', () => 'first: 3', false]],
  jobs: [['closed', () => 'first: 5']],
  jobSummary: [['closed', () => '', false]],
}

const namesOf = (type: GraphQLObjectType | null | undefined) => Object.keys(type?.getFields() ?? {})

test('each field of Query is told here how it is fenced', () => {
  expect(Object.keys(QUERIES).toSorted()).toEqual(namesOf(schema.getQueryType()).toSorted())
})

const asked = Object.entries(QUERIES).flatMap(([field, cases]) =>
  cases.map(([how, args, showsOrdinaryKeys = true], i) => ({
    field,
    case: i + 1,
    how,
    args,
    showsOrdinaryKeys,
  })),
)

test.each(asked)(
  'the query $field ($case) shows nothing of the other webhook: $how',
  async ({ field, how, args, showsOrdinaryKeys }) => {
    const queries = queriesOf(field, args())
    const seen = []
    for (const query of queries) seen.push(...shown(await ordinary(query)))
    if (showsOrdinaryKeys) expect(seen).not.toEqual([])
    // Who named it is told no more than the name.
    const named = markers().filter((marker) => args().includes(marker))
    let text = ''
    for (const query of queries) {
      const answer = await restricted(query)
      expect(shown(answer).filter((marker) => !named.includes(marker))).toEqual([])
      const { data, errors } = answer
      text += JSON.stringify(data)
      if (how === 'closed') {
        expect(data?.[field] ?? null).toBeNull()
        expect(errors).toMatchObject([
          {
            message: expect.stringContaining(`restricted to the webhook ${own.webhook}`),
            extensions: { code: 'FORBIDDEN' },
          },
        ])
      } else {
        expect(errors).toBeUndefined()
        if (how === 'nothing') expect(data[field]).toBeNull()
        else expect(data[field]).not.toBeNull()
      }
    }
    if (how === 'narrowed') expect(text).toContain(own.delivery)
  },
)

test('it counts its own webhook only', async () => {
  const query = '{ webhooks { totalCount nodes { id } } }'
  expect((await ordinary(query)).data.webhooks.totalCount).toBe(2)
  expect((await restricted(query)).data).toEqual({
    webhooks: { totalCount: 1, nodes: [{ id: own.webhook }] },
  })
})

test('its own things are found by their ids', async () => {
  const ids = [...Object.values(own), shared, JOINED, publicId('organization', organizationId)]
  const query = `{ nodes(ids: ${JSON.stringify(ids)}) { id } }`
  expect((await restricted(query)).data.nodes).toEqual(ids.map((id) => ({ id })))
})

test('of an event that both received, it sees its own delivery', async () => {
  const query = `{ event(id: "${shared}") { deliveries { nodes { id webhookId } } } }`
  expect((await ordinary(query)).data.event.deliveries.nodes).toHaveLength(2)
  expect((await restricted(query)).data.event.deliveries.nodes).toEqual([
    { id: own.delivery, webhookId: own.webhook },
  ])
})

/** Each field of Mutation, asked to change the other or more than one webhook. */
const MUTATIONS: Record<string, ['not_found' | 'closed', args: () => string]> = {
  updateWebhook: ['not_found', () => `id: "${other.webhook}", input: { enabled: false }`],
  deleteWebhook: ['not_found', () => `id: "${other.webhook}"`],
  resumeWebhook: ['not_found', () => `id: "${other.webhook}"`],
  rotateSigningSecret: ['not_found', () => `webhookId: "${other.webhook}"`],
  testDelivery: ['not_found', () => `webhookId: "${other.webhook}", eventType: "${JOINED}"`],
  recoverDeliveries: [
    'not_found',
    () => `input: { webhookId: "${other.webhook}", since: "${hourAgo()}", dryRun: true }`,
  ],
  redeliver: ['not_found', () => `id: "${other.delivery}"`],
  cancelDelivery: ['not_found', () => `id: "${other.delivery}"`],
  cancelRecovery: ['not_found', () => `id: "${other.recovery}"`],
  createWebhook: [
    'closed',
    () => `input: { url: "https://new.example", eventSubscriptions: ["${JOINED}"] }`,
  ],
  publishEvent: ['closed', () => `input: { type: "${JOINED}", data: {} }`],
  publishEvents: ['closed', () => `input: { events: [{ type: "${JOINED}", data: {} }] }`],
  createApiKey: ['closed', () => 'input: { scopes: ["webhooks:read"] }'],
  updateApiKey: ['closed', () => `id: "${other.key}", input: { requestsPerSecond: 1 }`],
  revokeApiKey: ['closed', () => `id: "${other.key}"`],
  createPortalSession: ['closed', () => 'input: { scopes: ["webhooks:read"] }'],
  createEventType: ['closed', () => 'input: { name: "new.type", description: "New." }'],
  updateEventType: ['closed', () => `name: "${JOINED}", input: { description: "Changed." }`],
  archiveEventType: ['closed', () => `name: "${TICKET}"`],
  unarchiveEventType: ['closed', () => `name: "${TICKET}"`],
  createOrganization: ['closed', () => 'name: "New"'],
  renameOrganization: [
    'closed',
    () => `id: "${publicId('organization', organizationId)}", name: "Changed"`,
  ],
  runJobsNow: ['closed', () => 'ids: ["1", "2"]'],
  rescheduleJobs: ['closed', () => 'ids: ["1", "2"], runAt: "2030-01-01T00:00:00Z"'],
  failJobs: ['closed', () => 'ids: ["1", "2"], reason: "No longer wanted."'],
  completeJobs: ['closed', () => 'ids: ["1", "2"]'],
}

test('each field of Mutation is told here how it is fenced', () => {
  expect(Object.keys(MUTATIONS).toSorted()).toEqual(namesOf(schema.getMutationType()).toSorted())
})

test.each(Object.entries(MUTATIONS).map(([name, [how]]) => [name, how] as const))(
  'the mutation %s changes nothing but its own webhook: %s',
  async (name, how) => {
    const before = await allRows()
    const call = `${name}(${MUTATIONS[name]?.[1]()})`
    const answer = await restricted(`mutation { ${call} { __typename ...on UserError { code } } }`)
    if (how === 'not_found') {
      expect(answer.errors).toBeUndefined()
      expect(answer.data[name]).toEqual({ __typename: 'NotFoundError', code: 'not_found' })
    } else {
      expect(answer.data).toEqual({ [name]: null })
      expect(answer.errors).toMatchObject([
        {
          message: expect.stringContaining(`and Mutation.${name} is about more than that`),
          extensions: { code: 'FORBIDDEN' },
        },
      ])
    }
    expect(await allRows()).toEqual(before)
  },
)

test('its own webhook it changes, as its scopes allow', async () => {
  const changes = [
    [`updateWebhook(id: "${own.webhook}", input: { description: "Changed" })`, 'UpdateWebhook'],
    [`rotateSigningSecret(webhookId: "${own.webhook}")`, 'RotateSigningSecret'],
    [`testDelivery(webhookId: "${own.webhook}", eventType: "${JOINED}")`, 'TestDelivery'],
    [`redeliver(id: "${own.delivery}")`, 'Redeliver'],
    [`cancelDelivery(id: "${own.delivery}")`, 'CancelDelivery'],
    [`cancelRecovery(id: "${own.recovery}")`, 'CancelRecovery'],
    [
      `recoverDeliveries(input: { webhookId: "${own.webhook}", since: "${hourAgo()}" })`,
      'RecoverDeliveries',
    ],
  ]
  for (const [call, name] of changes) {
    const { data, errors } = await restricted(`mutation { done: ${call} { __typename } }`)
    expect(errors, name).toBeUndefined()
    expect(data.done.__typename).toBe(`${name}Success`)
  }
})

describe('subscriptions', () => {
  const SUBSCRIPTIONS = ['attemptMade', 'deliveryFinished', 'webhookHealthChanged']

  test('are all fenced', () => {
    expect(namesOf(schema.getSubscriptionType()).toSorted()).toEqual(SUBSCRIPTIONS)
  })

  test.each(SUBSCRIPTIONS)('%s tells of its own webhook only', async (name) => {
    const field = name === 'webhookHealthChanged' ? 'webhook { id }' : 'id'
    const named = `(webhookId: "${other.webhook}")`
    const refused = await listen(`subscription { ${name}${named} { ${field} } }`)
    await until(() => refused.text().includes('is restricted to the webhook'), 'it is refused')
    const stream = await listen(`subscription { ${name} { ${field} } }`)
    for (const things of [other, own]) await notify(api.database.pool, [attemptOf(things)])
    await until(() => Object.values(own).some((id) => stream.text().includes(id)), 'it is told')
    expect(markers().filter((marker) => stream.text().includes(marker))).toEqual([])
    await stream.stop()
  })

  const attemptOf = (things: Things): LiveEvent => ({
    kind: 'attempt',
    organizationId,
    webhookId: parseId('webhook', things.webhook) as string,
    deliveryId: parseId('delivery', things.delivery) as string,
    attemptId: parseId('attempt', things.attempt) as string,
    succeeded: false,
    finished: true,
  })

  /** What a stream said so far. */
  async function listen(query: string) {
    const ask = request('any', { query })
    ask.headers.set('accept', 'text/event-stream')
    const { body } = await handleRestricted(ask)
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    let text = ''
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += Buffer.from(value).toString()
      }
    })()
    return {
      text: () => text,
      async stop() {
        await reader.cancel()
        await reading
      },
    }
  }
})

describe('a field that somebody adds', () => {
  const objects = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      type instanceof GraphQLObjectType && !type.name.startsWith('__'),
  )

  test('is fenced by name where its type says more than what concerns one webhook', () => {
    const fields = objects
      .filter(({ name }) => FENCED_TYPES.has(name))
      .flatMap((type) => namesOf(type).map((name) => `${type.name}.${name}`))
    const closed = [...Object.entries(QUERIES), ...Object.entries(MUTATIONS)]
      .filter(([, how]) => how.flat().includes('closed') && !how.flat().includes('narrowed'))
      .map(([name]) => name)
    const unnamed = fields.filter((field) => !(field in FENCES))
    expect(unnamed.map((field) => field.split('.')[1]).toSorted()).toEqual(closed.toSorted())
    expect(Object.keys(FENCES).filter((field) => !fields.includes(field))).toEqual([])
  })

  /** What is reached from the webhook itself, and leads to what is again its own. */
  const WITHIN = [
    'Webhook.deliveries',
    'Webhook.recoveries',
    'Delivery.event',
    'Delivery.webhook',
    'Delivery.attempts',
    'Attempt.delivery',
    'Recovery.webhook',
    'RecoverDeliveriesSuccess.recovery',
    'WebhookHealthChange.webhook',
    // These are reached by what is closed.
    'CreatedApiKey.apiKey',
    'Job.delivery',
    'Job.organization',
    'PublishedEvent.event',
  ]

  test('is looked at here where it leads from what belongs to a webhook to another thing', () => {
    const leading = objects
      .filter(({ name }) => !FENCED_TYPES.has(name))
      // They stand for what was let through already.
      .filter(({ name }) => !/(Connection|Edge)$/.test(name))
      .filter(({ name }) => !/Success$/.test(name) || name === 'RecoverDeliveriesSuccess')
      .flatMap((type) =>
        Object.values(type.getFields()).flatMap((field) =>
          leadsToNode(field.type) ? `${type.name}.${field.name}` : [],
        ),
      )
    expect(leading.toSorted()).toEqual(WITHIN.toSorted())
  })
})

function leadsToNode(type: GraphQLOutputType): boolean {
  const named = getNamedType(type)
  if (!isObjectType(named)) return false
  if (named.getInterfaces().some(({ name }) => name === 'Node')) return true
  return 'pageInfo' in named.getFields()
}

/** What mutations could have changed, whole. */
async function allRows() {
  const { rows } = await api.database.pool.query(`
    select
      (select json_agg(t order by t.id) from posthorn.webhooks as t) as webhooks,
      (select json_agg(t order by t.id) from posthorn.signing_secrets as t) as secrets,
      (select json_agg(to_jsonb(t) - 'last_used_at' order by t.id) from posthorn.api_keys as t) as keys,
      (select json_agg(t order by t.id) from posthorn.organizations as t) as organizations,
      (select json_agg(t order by t.name) from posthorn.event_types as t) as types,
      (select json_agg(t order by t.id) from posthorn.deliveries as t) as deliveries,
      (select json_agg(t order by t.id) from posthorn.events as t) as events,
      (select json_agg(t order by t.id) from posthorn.recoveries as t) as recoveries,
      (select json_agg(t order by t.id) from graphile_worker.jobs as t) as jobs`)
  return rows[0]
}
