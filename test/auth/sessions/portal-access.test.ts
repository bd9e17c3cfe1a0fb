import { type GraphQLField, GraphQLObjectType, getNamedType, isAbstractType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { type Caller, SCOPES } from '../../../src/auth/access/scope.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { updateEventType } from '../../../src/event-types/edit-event-type.ts'
import { createApiKey } from '../../support/api-keys.ts'
import '../../../src/graphql/field-plugin.ts'
import { createGraphqlHandler } from '../../../src/server/graphql-handler.ts'
import { schema } from '../../../src/server/schema.ts'
import { notify } from '../../../src/streams/live/notify.ts'
import { createWebhook } from '../../../src/webhooks/save-webhook.ts'
import { allRows } from '../../graphql/support/all-rows.ts'
import { type Answer, readAnswer, request, useApi } from '../../graphql/support/api.ts'
import { addAttempt, recordAttempt } from '../../graphql/support/rows.ts'
import { callOf, SCHEMA } from '../../graphql/support/schema-calls.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

// All rows of the database are compared.
const api = await useApi('own')
const { prisma } = api.database
const { organizationId, call: ordinary, ...tenant } = await api.tenant(SCOPES)
/** A key of another organization. */
const { call: stranger } = await api.tenant()
const ownWebhook = await addWebhook('own', [JOINED])
const otherWebhook = await addWebhook('other', [JOINED, TICKET])
for (const type of [JOINED, TICKET]) {
  await updateEventType(prisma, type, { searchKeys: ['$.i'] }, SYSTEM)
}
/** An event with a delivery to both webhooks, and one with a delivery to the other webhook only. */
const [shared = ''] = await tenant.publish()
const [published] = await api.deps.publishEvents(organizationId, [
  { type: TICKET, data: { marker: 'other-payload' } },
])
const others = published?.id as string
const own = await objectsOf(ownWebhook, shared)
const other = await objectsOf(otherWebhook, others)

/** The restricted session: with every scope, so that only the restriction to one webhook limits it. */
const caller: Caller = {
  keyId: parseId('apiKey', own.key) as string,
  organizationId,
  scopes: new Set(SCOPES),
  limits: { requestsPerSecond: 1e6, eventsPerSecond: 1e6, deliveriesPerSecond: 1e6 },
  expiresAt: null,
  keyVersion: '',
  consoleSessionId: null,
  person: null,
  session: {
    kind: 'frontend',
    webhookId: parseId('webhook', own.webhook),
    expiresAt: new Date(Date.now() + 60_000),
  },
}
const handleRestricted = createGraphqlHandler({ ...api.deps, authenticate: async () => caller })
const restricted = async (query: string) =>
  readAnswer(await handleRestricted(request('any', { query })))

async function addWebhook(name: string, eventSubscriptions: string[]): Promise<string> {
  const { id } = await createWebhook(api.deps.webhooks, organizationId, {
    url: `https://${name}-url.example/`,
    description: `${name}-description`,
    headers: { 'X-Key': `${name}-header` },
    uid: `uid-of-${name}`,
    metadata: { label: `${name}-label` },
    enabled: true,
    eventSubscriptions,
  })
  return id
}

/** Creates one object of each type that belongs to a webhook. */
async function objectsOf(webhook: string, event: string) {
  const webhookId = parseId('webhook', webhook) as string
  const eventId = parseId('event', event) as string
  const row = await prisma.delivery.findFirstOrThrow({ where: { webhookId, eventId } })
  const delivery = publicId('delivery', row.id)
  const attempt = await addAttempt(api.database, delivery)
  const task = await prisma.bulkTask.create({
    data: {
      ...{ organizationId, webhookId, action: 'redeliver', selection: { filter: {} } },
      ...{ ratePerSecond: 1, total: 1, totalIsExact: true },
    },
  })
  const { key } = await createApiKey(prisma, { organizationId, scopes: ['webhooks:read'] })
  const incident = await prisma.incident.create({
    data: { organizationId, webhookId, webhookState: 'failing', openedAt: new Date() },
  })
  return {
    webhook,
    delivery,
    attempt,
    incident: publicId('incident', incident.id),
    task: publicId('bulkTask', task.id),
    key: publicId('apiKey', key.id),
  }
}

/** Texts that a caller restricted to the own webhook must never see. */
const MARKERS = [
  ...Object.values(other),
  others,
  'other-url',
  'other-description',
  'other-label',
  'other-header',
  'other-payload',
]
const shown = ({ data, errors }: Answer) => {
  const text = JSON.stringify({ data, errors })
  return MARKERS.filter((marker) => text.includes(marker))
}

/** A selection of all fields of a type, to any depth. Each field that leads to another type occurs once. */
function everything(
  type: GraphQLObjectType,
  above: readonly string[],
  followed = new Set<Field>(),
): string {
  const shared =
    type.name === 'Organization' ? [...namesOf(schema.getQueryType()), ...OWN_NAMES] : []
  const fields = Object.values(type.getFields())
    .filter(({ name }) => !shared.includes(name))
    .flatMap((field) => fieldWithin(field, above, followed))
  return `{ __typename ${fields.join(' ')} }`
}

/** The operator's names for the organization, which do not concern one webhook. */
const OWN_NAMES = ['uid', 'metadata']

test.each(OWN_NAMES)('the %s of the organization is closed', async (name) => {
  const query = `{ viewer { organization { name ${name} } } }`
  expect((await ordinary(query)).errors).toBeUndefined()
  const { data, errors } = await restricted(query)
  expect(data.viewer.organization).toEqual({ name: expect.any(String), [name]: null })
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})

type Field = GraphQLField<unknown, unknown>

/** Each type is up to three levels of nested fields, of which a document may have 15. */
const MAX_LEVELS = 5

function fieldWithin(field: Field, above: readonly string[], followed: Set<Field>): string[] {
  const { name, type, args } = field
  const values = args.flatMap((argument) => {
    if (argument.name === 'first') return 'first: 1'
    if (argument.name === 'bucket') return 'bucket: DAY'
    if (argument.name === 'eventType') return `eventType: "${JOINED}"`
    return argument.name === 'since' ? `since: "${hourAgo()}"` : []
  })
  const call = values.length > 0 ? `${name}(${values.join(', ')})` : name
  const named = getNamedType(type)
  if (!(named instanceof GraphQLObjectType)) return [call]
  // A connection alone shows nothing of its nodes.
  const { nodes } = named.getFields()
  const target = nodes ? getNamedType(nodes.type) : named
  if (above.includes(target.name) || above.length > MAX_LEVELS) return []
  if (followed.has(field)) return []
  followed.add(field)
  return [`${call} ${everything(named, [...above, named.name], followed)}`]
}

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

/** The queries of a field: one for each possible type of its result. */
function queriesOf(field: string, args: string): string[] {
  const { [field]: definition } = schema.getQueryType()?.getFields() ?? {}
  if (!definition) throw new Error(`Query has no field ${field}.`)
  const named = getNamedType(definition.type)
  const types = isAbstractType(named) ? schema.getPossibleTypes(named) : [named]
  return types.map((type) => {
    if (!(type instanceof GraphQLObjectType)) return `{ ${field} }`
    const rest = `... on ${type.name} ${everything(type, [type.name])}`
    return `{ ${field}${args && `(${args})`} { ${rest} } }`
  })
}

type How = 'open' | 'nothing' | 'narrowed' | 'closed'

/** The fields of Query with their policy and arguments, and whether an ordinary key sees the other webhook by them. */
const QUERIES: Record<string, [How, args: string, showsOrdinaryKeys?: boolean][]> = {
  viewer: [['open', '', false]],
  eventTypes: [['open', '', false]],
  defaultSettings: [['open', '', false]],
  node: [
    ['nothing', `id: "${other.webhook}"`],
    ['nothing', `id: "${other.delivery}"`],
    ['nothing', `id: "${other.attempt}"`],
    ['nothing', `id: "${other.task}"`],
    ['nothing', `id: "${other.incident}"`],
    ['nothing', `id: "${other.key}"`],
    ['nothing', `id: "${others}"`],
    ['narrowed', `id: "${shared}"`],
  ],
  nodes: [
    ['narrowed', `ids: ${JSON.stringify([...Object.values(own), others])}`],
    ['narrowed', `ids: ${JSON.stringify([...Object.values(other), own.webhook])}`],
  ],
  webhook: [
    ['nothing', `id: "${other.webhook}"`],
    ['nothing', 'uid: "uid-of-other"'],
    ['narrowed', 'uid: "uid-of-own"', false],
  ],
  webhooks: [
    ['narrowed', 'first: 3'],
    ['narrowed', 'first: 3, filter: { search: "url" }'],
  ],
  delivery: [['nothing', `id: "${other.delivery}"`]],
  deliveries: [
    ['narrowed', 'first: 3'],
    ['narrowed', 'first: 3, filter: { states: [QUEUED, RETRYING] }'],
    ['narrowed', 'first: 3, filter: { anyAttempt: { statusClasses: [SERVER_ERROR_5XX] } }'],
    ['narrowed', 'first: 3, filter: { key: { path: "$.i", equals: "0" } }'],
    ['closed', `first: 3, filter: { webhookIds: ["${other.webhook}"] }`],
  ],
  attempts: [
    ['narrowed', 'first: 3'],
    ['narrowed', `first: 3, filter: { webhookIds: ["${own.webhook}", "${other.webhook}"] }`],
    ['narrowed', 'first: 3, filter: { causes: ["500"] }'],
    ['closed', `first: 3, filter: { webhookIds: ["${other.webhook}"] }`],
  ],
  failures: [
    ['narrowed', `first: 3, filter: { since: "${hourAgo()}" }`],
    ['closed', `first: 3, filter: { since: "${hourAgo()}", webhookId: "${other.webhook}" }`],
  ],
  event: [
    ['nothing', `id: "${others}"`],
    ['narrowed', `id: "${shared}"`],
  ],
  events: [['closed', 'first: 3']],
  testFilter: [['narrowed', 'eventSubscriptions: ["*"], filter: { path: "$.i", op: "exists" }']],
  testBody: [['narrowed', 'eventSubscriptions: ["*"], template: "{}"']],
  whyNotDelivered: [['closed', `eventId: "${others}", webhookId: "${own.webhook}"`, false]],
  bulkTask: [['nothing', `id: "${other.task}"`]],
  bulkTasks: [
    ['narrowed', 'first: 3'],
    ['closed', `first: 3, filter: { webhookId: "${other.webhook}" }`],
  ],
  incidents: [
    ['narrowed', 'first: 3'],
    ['closed', `first: 3, filter: { webhookId: "${other.webhook}" }`],
  ],
  apiKeys: [['closed', 'first: 5']],
  auditLog: [['closed', 'first: 20']],
}

const namesOf = (type: GraphQLObjectType | null | undefined) => Object.keys(type?.getFields() ?? {})

/** Fields that `Organization` shares with `Query`. */
const ofOrganization = namesOf(schema.getType('Organization') as GraphQLObjectType)

/** A field without an entry above is closed. */
const cases = Object.values(SCHEMA.getQueryType()?.getFields() ?? {}).flatMap((definition) => {
  const { name: field } = definition
  const required = callOf(definition, () => 'x').slice(field.length + 1, -1)
  const variants = QUERIES[field] ?? [['closed', required, false]]
  return variants.map(([how, args, showsOrdinaryKeys = true], i) => ({
    ...{ field, case: i + 1, how, args, showsOrdinaryKeys },
  }))
})

test.each(cases)(
  'the query $field ($case), also of the organization, shows nothing of the other webhook: $how',
  async ({ field, how, args, showsOrdinaryKeys }) => {
    const queries = queriesOf(field, args)
    const seen = []
    for (const query of queries) seen.push(...shown(await ordinary(query)))
    if (showsOrdinaryKeys) expect(seen).not.toEqual([])
    let text = ''
    for (const query of queries) {
      const answer = await restricted(query)
      expectHidden(answer, answer.data?.[field])
      text += JSON.stringify(answer.data)
      if (!ofOrganization.includes(field)) continue
      const nested = await restricted(`{ viewer { organization ${query} } }`)
      expectHidden(nested, nested.data.viewer.organization?.[field])
    }
    if (how === 'narrowed') expect(text).toContain(own.delivery)

    function expectHidden(answer: Answer, found: unknown): void {
      // The arguments contain markers, which an error can repeat.
      expect(shown(answer).filter((marker) => !args.includes(marker))).toEqual([])
      if (how !== 'closed') expect(answer.errors).toBeUndefined()
      else
        expect(answer.errors).toMatchObject([
          {
            message: expect.stringContaining(`restricted to the webhook ${own.webhook}`),
            extensions: { code: 'FORBIDDEN' },
          },
        ])
      if (how === 'narrowed' || how === 'open') expect(found ?? null).not.toBeNull()
      else expect(found ?? null).toBeNull()
    }
  },
)

test.each(cases)('the query $field ($case) shows a stranger nothing', async ({ field, args }) => {
  const all = [...MARKERS, ...Object.values(own), shared, 'own-url', 'own-header']
  for (const query of queriesOf(field, args)) {
    const { data, errors = [] } = await stranger(query)
    expect(all.filter((marker) => JSON.stringify(data).includes(marker))).toEqual([])
    // An error can repeat an argument.
    const unknown = all.filter((marker) => !args.includes(marker))
    expect(unknown.filter((marker) => JSON.stringify(errors).includes(marker))).toEqual([])
  }
})

test('counts and deliveries of an event are those of the own webhook', async () => {
  const query = `{ webhooks { totalCount } event(id: "${shared}") {
    deliveryCounts { total } deliveries { nodes { id webhookId } } } }`
  expect((await ordinary(query)).data).toMatchObject({
    webhooks: { totalCount: 2 },
    event: { deliveryCounts: { total: 2 }, deliveries: { nodes: [{}, {}] } },
  })
  expect((await restricted(query)).data).toEqual({
    webhooks: { totalCount: 1 },
    event: {
      deliveryCounts: { total: 1 },
      deliveries: { nodes: [{ id: own.delivery, webhookId: own.webhook }] },
    },
  })
})

/** Mutations with arguments that name something of the other webhook or of the organization. */
const MUTATIONS: Record<string, ['not_found' | 'closed', args: string]> = {
  updateWebhook: ['not_found', `id: "${other.webhook}", input: { enabled: false }`],
  deleteWebhook: ['not_found', `id: "${other.webhook}"`],
  probeWebhook: ['not_found', `id: "${other.webhook}"`],
  resumeWebhook: ['not_found', `id: "${other.webhook}"`],
  rotateSigningSecret: ['not_found', `id: "${other.webhook}"`],
  revealHeaders: ['not_found', `id: "${other.webhook}"`],
  testDelivery: ['not_found', `id: "${other.webhook}", input: { eventType: "${JOINED}" }`],
  redeliver: ['not_found', `input: { ids: ["${own.delivery}", "${other.delivery}"] }`],
  cancelDeliveries: ['not_found', `input: { ids: ["${other.delivery}"] }`],
  cancelBulkTask: ['not_found', `id: "${other.task}"`],
  acknowledgeIncident: ['not_found', `id: "${other.incident}", input: {}`],
  updateApiKey: ['closed', `id: "${other.key}", input: { requestsPerSecond: 1 }`],
  revokeApiKey: ['closed', `id: "${other.key}"`],
}

/** A mutation without an entry above is closed. */
const changes = Object.values(SCHEMA.getMutationType()?.getFields() ?? {}).map((field) => {
  const [how, args] = MUTATIONS[field.name] ?? ['closed']
  const call = args ? `${field.name}(${args})` : callOf(field, () => other.webhook)
  return { name: field.name, how, call }
})

test.each(changes)('mutation $name changes no other webhook: $how', async ({ name, how, call }) => {
  const before = await allRows(api.database.pool)
  const answer = await restricted(`mutation { ${call} { __typename ...on UserError { code } } }`)
  if (how === 'not_found') {
    expect(answer.errors).toBeUndefined()
    expect(answer.data[name]).toEqual({ __typename: 'NotFoundError', code: 'not_found' })
  } else {
    expect(answer.data).toEqual({ [name]: null })
    const message = expect.stringContaining(`and Mutation.${name} covers more than that webhook`)
    expect(answer.errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }])
  }
  expect(await allRows(api.database.pool)).toEqual(before)
})

test.each(Object.keys(MUTATIONS))('the mutation %s finds nothing for a stranger', async (name) => {
  const before = await allRows(api.database.pool)
  const call = `${name}(${MUTATIONS[name]?.[1]})`
  const { data, errors } = await stranger(`mutation { ${call} { __typename } }`)
  expect(errors).toBeUndefined()
  expect(data).toEqual({ [name]: { __typename: 'NotFoundError' } })
  expect(await allRows(api.database.pool)).toEqual(before)
})

test('mutations change the own webhook', async () => {
  const changes = [
    [`updateWebhook(id: "${own.webhook}", input: { description: "Changed" })`, 'UpdateWebhook'],
    [`rotateSigningSecret(id: "${own.webhook}")`, 'RotateSigningSecret'],
    [`revealHeaders(id: "${own.webhook}")`, 'RevealHeaders'],
    [`testDelivery(id: "${own.webhook}", input: { eventType: "${JOINED}" })`, 'TestDelivery'],
    [`redeliver(input: { ids: ["${own.delivery}"] })`, 'Redeliver'],
    [`cancelDeliveries(input: { ids: ["${own.delivery}"] })`, 'CancelDeliveries'],
    [`cancelBulkTask(id: "${own.task}")`, 'CancelBulkTask'],
    [`cancelDeliveries(input: { filter: { states: QUEUED } })`, 'CancelDeliveries'],
    [
      `redeliver(input: { missed: { webhookId: "${own.webhook}", since: "${hourAgo()}" } })`,
      'Redeliver',
    ],
  ]
  for (const [call, name] of changes) {
    const { data, errors } = await restricted(`mutation { done: ${call} { __typename } }`)
    expect(errors, name).toBeUndefined()
    expect(data.done.__typename).toBe(`${name}Success`)
  }
})

test('a bulk task has only deliveries of the own webhook, and needs a condition of its own', async () => {
  const cancel = (input: string) =>
    restricted(`mutation { cancelDeliveries(input: { ${input} }) {
      ... on CancelDeliveriesSuccess { task { id } } ... on UserError { code } } }`)
  for (const filter of ['states: QUEUED', 'anyAttempt: { statusClasses: [SERVER_ERROR_5XX] }']) {
    const { data } = await cancel(`filter: { ${filter} }`)
    const { webhookId } = await prisma.bulkTask.findUniqueOrThrow({
      where: { id: parseId('bulkTask', data.cancelDeliveries.task.id) as string },
    })
    expect(publicId('webhook', webhookId as string)).toBe(own.webhook)
  }
  expect((await cancel('filter: {}')).data.cancelDeliveries).toEqual({ code: 'invalid' })
  expect((await cancel(`filter: { webhookIds: ["${other.webhook}"] }`)).errors).toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ])
})

describe('subscriptions', () => {
  const SUBSCRIPTIONS = ['attemptRecorded', 'deliveryFinished', 'webhookHealthChanged']

  test('are all covered by this file', () => {
    expect(namesOf(schema.getSubscriptionType()).toSorted()).toEqual(SUBSCRIPTIONS)
  })

  test.each(SUBSCRIPTIONS)('%s reports the own webhook only', async (name) => {
    const fields: Record<string, string> = {
      attemptRecorded: 'delivery { id }',
      webhookHealthChanged: 'webhook { id }',
    }
    const field = fields[name] ?? 'id'
    const named = `(webhookId: "${other.webhook}")`
    const rejected = await listen(`subscription { ${name}${named} { ${field} } }`)
    await until(
      () => rejected.text().includes('is restricted to the webhook'),
      'the subscription is rejected',
    )
    const stream = await listen(`subscription { ${name} { ${field} } }`)
    await changeAll()
    await until(
      () => Object.values(own).some((id) => stream.text().includes(id)),
      'the attempt is reported',
    )
    expect(MARKERS.filter((marker) => stream.text().includes(marker))).toEqual([])
    await stream.stop()
  })

  /** Both webhooks begin to fail or work again, and their deliveries are exhausted by another attempt. */
  async function changeAll(): Promise<void> {
    const { pool } = api.database
    for (const { webhook, delivery } of [other, own]) {
      await recordAttempt(api.database, delivery, 500)
      await pool.query('update posthorn.deliveries set finished_at = now() where id = $1', [
        parseId('delivery', delivery),
      ])
      await pool.query(
        `insert into posthorn.webhook_conditions as c (webhook_id, state) values ($1, 'failing')
         on conflict (webhook_id) do update set
           state = case c.state when 'healthy' then 'failing' else 'healthy' end`,
        [parseId('webhook', webhook)],
      )
    }
    await notify(pool, new Set([organizationId]))
  }

  /** Subscribes, and collects the text of the stream. */
  async function listen(query: string) {
    const subscribing = request('any', { query }, { accept: 'text/event-stream' })
    const { body } = await handleRestricted(subscribing)
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    let text = ''
    const reading = (async () => {
      for (let one = await reader.read(); !one.done; one = await reader.read())
        text += Buffer.from(one.value).toString()
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
