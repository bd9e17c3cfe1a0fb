import { JOINED } from '../support/factories.ts'
import { HOSTILE_INTROSPECTION } from './introspection.ts'

/** A request designed to block the event loop. */
export interface Hostile {
  readonly path: string
  readonly body: string
  readonly reads?: 'schema'
}

const graphql = (query: string, variables?: unknown): Hostile => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})
const PUBLISH = `mutation ($events: [PublishEventInput!]!) { publishEvents(input: { events: $events }) {
  ... on UserError { message } ... on ValidationError { issues { path code message } } } }`
const publish = (type: string, data: unknown, count = 1) =>
  graphql(PUBLISH, { events: Array(count).fill({ type, data }) })
const rest = (body: string): Hostile => ({ path: '/api/connect/v1/webhooks', body })
const many = <T>(count: number, each: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => each(i))
const inMegabyte = (text: string, rest = '') =>
  text.repeat(Math.floor((1_000_000 - rest.length) / text.length))

const aliases = (count: number, field: string) => many(count, (i) => `a${i}: ${field}`).join(' ')

const introspecting = (query: string): Hostile => ({ ...graphql(query), reads: 'schema' })

export const HOSTILE: Record<string, Hostile> = {
  ...Object.fromEntries(
    Object.entries(HOSTILE_INTROSPECTION).map(([name, query]) => [
      `introspection, ${name},`,
      introspecting(query),
    ]),
  ),
  'aliases of long lists': graphql(
    `{ ${aliases(50, 'statistics(since: "2026-01-01T00:00:00Z", until: "2026-03-01T00:00:00Z") { attempts failed succeeded start }')} }`,
  ),
  'one field with many repeated fields': graphql(`{ webhooks { ${'nodes { id } '.repeat(240)} } }`),
  'aliases multiplied by fragments': graphql(
    `{ webhooks(first: 1) { nodes { ...A } } }
     fragment A on Webhook { ${aliases(33, 'deliveries(first: 1) { nodes { ...B } }')} }
     fragment B on Delivery { ${aliases(33, 'attempts(first: 1) { nodes { ...C } }')} }
     fragment C on Attempt { ${aliases(33, 'id')} }`,
  ),
  'a body nested as deeply as possible': { path: '/graphql', body: '['.repeat(1_000_000) },
  'a body of empty objects': { path: '/graphql', body: `{"variables":[${inMegabyte('{},')}1]}` },
  'a body of numbers': { path: '/graphql', body: `{"variables":[${inMegabyte('1,')}1]}` },
  'a body of long numbers': { path: '/graphql', body: `{"variables":[${inMegabyte('1e1,')}1]}` },
  'a body of escapes': { path: '/graphql', body: `{"query":"${inMegabyte('\\\\')}"}` },
  'a document with one long name': graphql(`{ ${inMegabyte('a')} }`),
  'a document with one long string': graphql(`{ node(id: "${inMegabyte('a')}") { id } }`),
  'a document with one long block string': graphql(
    `{ node(id: """${inMegabyte(' \n')}""") { id } }`.replaceAll('\n', '\n'),
  ),
  'a document of spaces': graphql(`${inMegabyte(' ')}{ viewer { scopes } }`),
  'a document of comments': graphql(`${inMegabyte('#\n')}{ viewer { scopes } }`),
  'a document of many fields': graphql(`{ ${'viewer { scopes } '.repeat(330)} }`),
  'a document of unknown fields': graphql(`{ ${many(900, (i) => `webhoks${i}`).join(' ')} }`),
  'a document of fragments': graphql(
    `{ ...F0 } ${many(150, (i) => `fragment F${i} on Query { ...F${i + 1} viewer { scopes } }`).join(' ')} fragment F150 on Query { __typename }`,
  ),
  'a variable with invalid values': graphql('query ($a: [Int!]!) { __typename }', {
    a: many(100_000, () => 'x'),
  }),
  'a variable with unknown fields': graphql(
    'mutation ($a: CreateWebhookInput!) { createWebhook(input: $a) { __typename } }',
    { a: Object.fromEntries(many(40_000, (i) => [`eventSubscription${i}`, 1])) },
  ),
  'unknown scopes': graphql(
    'mutation ($a: [String!]!) { createApiKey(input: { scopes: $a }) { ... on UserError { message } } }',
    { a: many(60_000, (i) => `webhook:${i}`) },
  ),
  'unknown subscriptions': graphql(
    `mutation ($a: [String!]!) { createWebhook(input: { url: "https://receiver.example", eventSubscriptions: $a }) {
      ... on ValidationError { issues { message } } } }`,
    { a: many(20_000, (i) => `a_type_with_a_long_name_of_${i}`) },
  ),
  'events of unknown types': graphql(PUBLISH, {
    events: many(1_000, (i) => ({ type: `a_type_with_a_long_name_of_nmber_${i}`, data: 1 })),
  }),
  'events of one long unknown type': publish('a'.repeat(900), 1, 1_000),
  'a thousand events with several errors each': graphql(PUBLISH, {
    events: many(1_000, () => ({ type: JOINED, data: 1, idempotencyKey: '', traceparent: 'x' })),
  }),
  'a thousand events': publish(JOINED, { name: 'x'.repeat(700) }, 1_000),
  'data with many keys': publish(JOINED, Object.fromEntries(many(20_000, (i) => [`k${i}`, i]))),
  'data with many objects': publish(
    JOINED,
    many(60_000, () => ({})),
  ),
  'a string that makes a pattern backtrack exponentially': publish(
    'pattern.nested',
    [`${'a'.repeat(60)}b`],
    10,
  ),
  'many strings that make a pattern backtrack exponentially': publish(
    'pattern.nested',
    many(1_000, () => `${'a'.repeat(21)}b`),
  ),
  'a long string for a simple pattern': publish('pattern.simple', ['a'.repeat(200_000)]),
  'many strings for a simple pattern': publish(
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
  'unknown REST fields': rest(`{${many(6_000, (i) => `"ul${i}":1`).join(',')}}`),
  'a REST field with a long name': rest(`{"${'u'.repeat(65_000)}":1}`),
  'invalid REST headers': rest(
    `{"headers":{${many(5_000, (i) => `"wh-${i}":"\\u0000"`).join(',')}}}`,
  ),
  'unknown REST subscriptions': rest(
    `{"event_subscriptions":[${many(5_000, (i) => `"joined${i}"`).join(',')}]}`,
  ),
  'a long URL': rest(`{"url":"https://${'a.'.repeat(32_000)}"}`),
  'a URL of many escapes': rest(`{"url":"https://${'%41'.repeat(20_000)}"}`),
}
