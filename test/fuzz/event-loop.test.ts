import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/api-keys/api-key.ts'
import { SCOPES } from '../../src/api-keys/scope.ts'
import type { Database } from '../../src/db/client.ts'
import { createEventType } from '../../src/events/edit-event-type.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

/** The longest that one request may keep all others waiting. */
const PROMISED_MS = 50
/** What other processes of the machine do in between is no fault of the request: the best of these counts. */
const TRIES = 5

let database: Database
let child: ChildProcess
let url: string
let token: string

beforeAll(async () => {
  database = await createTestDatabase()
  const { organizationId } = await createTenant(database.prisma)
  const key = { organizationId, scopes: SCOPES, requestsPerSecond: 1_000_000 }
  token = (await createApiKey(database.prisma, key)).token
  await addTypes()
  child = fork(new URL('loop-main.ts', import.meta.url), {
    execArgv: ['--max-semi-space-size=4'],
    env: { PATH: process.env['PATH'], ...testEnvironment(database.url) },
  })
  const [{ url: listening }] = (await once(child, 'message')) as [{ url: string }]
  url = listening
})
afterAll(async () => {
  child?.disconnect()
  await once(child, 'exit')
  await database[Symbol.asyncDispose]()
})

async function addTypes() {
  const schemas = {
    'pattern.nested': { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } },
    'pattern.simple': { type: 'array', items: { type: 'string', pattern: '^a*a*b$' } },
    'items.unique': { type: 'array', uniqueItems: true },
    'choices.many': {
      items: { anyOf: Array.from({ length: 400 }, (_, i) => ({ const: `choice ${i}` })) },
    },
    'reference.multiplied': {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: Array(2).fill({ items: { $ref: '#/$defs/a' } }) } },
    },
  }
  for (const [name, schema] of Object.entries(schemas)) {
    await createEventType(database.prisma, { name, description: 'For the test.', schema })
  }
  // A catalogue of some size, to look for what was meant in.
  await database.pool.query(
    `insert into posthorn.event_types (name, description)
     select 'a_type_with_a_long_name_of_number_' || i, 'For the test.' from generate_series(1, 150) as i`,
  )
}

interface Worst {
  readonly path: string
  readonly body: string
}

const graphql = (query: string, variables?: unknown): Worst => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})
const PUBLISH = `mutation ($events: [PublishEventInput!]!) { publishEvents(input: { events: $events }) {
  ... on UserError { message } ... on ValidationError { issues { path code message } } } }`
const publish = (type: string, data: unknown, count = 1) =>
  graphql(PUBLISH, { events: Array(count).fill({ type, data }) })
const rest = (body: string): Worst => ({ path: '/api/connect/v1/webhooks', body })
const many = <T>(count: number, each: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => each(i))
const inMegabyte = (text: string, rest = '') =>
  text.repeat(Math.floor((1_000_000 - rest.length) / text.length))

const WORST: Record<string, Worst> = {
  'a body nested as deep as fits': { path: '/graphql', body: '['.repeat(1_000_000) },
  'a body of empty objects': { path: '/graphql', body: `{"variables":[${inMegabyte('{},')}1]}` },
  'a body of numbers': { path: '/graphql', body: `{"variables":[${inMegabyte('1,')}1]}` },
  'a body of long numbers': { path: '/graphql', body: `{"variables":[${inMegabyte('1e1,')}1]}` },
  'a body of escapes': { path: '/graphql', body: `{"query":"${inMegabyte('\\\\')}"}` },
  'a document that is one name': graphql(`{ ${inMegabyte('a')} }`),
  'a document that is one text': graphql(`{ node(id: "${inMegabyte('a')}") { id } }`),
  'a document that is one text of lines': graphql(
    `{ node(id: """${inMegabyte(' \n')}""") { id } }`.replaceAll('\n', '\n'),
  ),
  'a document of blanks': graphql(`${inMegabyte(' ')}{ viewer { scopes } }`),
  'a document of comments': graphql(`${inMegabyte('#\n')}{ viewer { scopes } }`),
  'a document of many fields': graphql(`{ ${'viewer { scopes } '.repeat(330)} }`),
  'a document of fields that are none': graphql(`{ ${many(900, (i) => `webhoks${i}`).join(' ')} }`),
  'a document of fragments': graphql(
    `{ ...F0 } ${many(150, (i) => `fragment F${i} on Query { ...F${i + 1} viewer { scopes } }`).join(' ')} fragment F150 on Query { __typename }`,
  ),
  'a variable of wrong values': graphql('query ($a: [Int!]!) { __typename }', {
    a: many(100_000, () => 'x'),
  }),
  'a variable of unknown fields': graphql(
    'mutation ($a: CreateWebhookInput!) { createWebhook(input: $a) { __typename } }',
    {
      a: Object.fromEntries(many(40_000, (i) => [`eventSubscription${i}`, 1])),
    },
  ),
  'scopes that are none': graphql(
    'mutation ($a: [String!]!) { createApiKey(input: { scopes: $a }) { ... on UserError { message } } }',
    { a: many(60_000, (i) => `webhook:${i}`) },
  ),
  'subscriptions that are none': graphql(
    `mutation ($a: [String!]!) { createWebhook(input: { url: "https://receiver.example", eventSubscriptions: $a }) {
      ... on ValidationError { issues { message } } } }`,
    { a: many(20_000, (i) => `a_type_with_a_long_name_of_${i}`) },
  ),
  'events of types that are none': graphql(PUBLISH, {
    events: many(1_000, (i) => ({ type: `a_type_with_a_long_name_of_nmber_${i}`, data: 1 })),
  }),
  'events of one long type that is none': publish('a'.repeat(900), 1, 1_000),
  'a thousand events with all that is wrong': graphql(PUBLISH, {
    events: many(1_000, () => ({ type: JOINED, data: 1, idempotencyKey: '', traceparent: 'x' })),
  }),
  'a thousand events': publish(JOINED, { name: 'x'.repeat(700) }, 1_000),
  'data of many keys': publish(JOINED, Object.fromEntries(many(20_000, (i) => [`k${i}`, i]))),
  'data of many parts': publish(
    JOINED,
    many(60_000, () => ({})),
  ),
  'a text that a pattern tries in every way': publish(
    'pattern.nested',
    [`${'a'.repeat(60)}b`],
    100,
  ),
  'many texts that a pattern tries in every way': publish(
    'pattern.nested',
    many(1_000, () => `${'a'.repeat(21)}b`),
  ),
  'a long text for a simple pattern': publish('pattern.simple', ['a'.repeat(200_000)]),
  'many texts for a simple pattern': publish(
    'pattern.simple',
    many(900, () => 'a'.repeat(255)),
    4,
  ),
  'many items that must be unique': publish(
    'items.unique',
    many(25_000, (i) => ({ i })),
  ),
  'many items with many choices': publish(
    'choices.many',
    many(25_000, () => 'x'),
  ),
  'a reference that multiplies': publish(
    'reference.multiplied',
    JSON.parse('['.repeat(100) + ']'.repeat(100)),
  ),
  'REST fields that are none': rest(`{${many(6_000, (i) => `"ul${i}":1`).join(',')}}`),
  'a REST field with a long name': rest(`{"${'u'.repeat(65_000)}":1}`),
  'REST headers that are none': rest(
    `{"headers":{${many(5_000, (i) => `"wh-${i}":"\\u0000"`).join(',')}}}`,
  ),
  'REST subscriptions that are none': rest(
    `{"event_subscriptions":[${many(5_000, (i) => `"joined${i}"`).join(',')}]}`,
  ),
  'a long URL': rest(`{"url":"https://${'a.'.repeat(32_000)}"}`),
  'a URL of many signs': rest(`{"url":"https://${'%41'.repeat(20_000)}"}`),
}

async function ask(): Promise<{ longestMs: number; longestCollectionMs: number }> {
  const answer = once(child, 'message')
  child.send('ask')
  return (await answer)[0]
}

async function longestOf({ path, body }: Worst): Promise<number> {
  await ask()
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  })
  await response.arrayBuffer()
  expect(response.status).toBeLessThan(500)
  const { longestMs, longestCollectionMs } = await ask()
  return longestMs - longestCollectionMs
}

test.each(Object.entries(WORST))(
  '%s keeps others waiting for 50 ms at most',
  { timeout: 60_000 },
  async (name, worst) => {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < TRIES && best > PROMISED_MS; i++)
      best = Math.min(best, await longestOf(worst))
    if (process.env['LOOP_LOG']) console.info(`${best.toFixed(1)} ms: ${name}`)
    expect(best).toBeLessThan(PROMISED_MS)
  },
)
