import {
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isScalarType,
  type OperationTypeNode,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/access/scope.ts'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import {
  type Field,
  type IdOf,
  SCHEMA,
  sampleOf,
  selectionOf,
  TEXTS,
} from './support/schema-calls.ts'

/* Postgres has no NUL in text. Wherever an argument has one, the answer says so, and is no fault. */

const api = await useApi()
const tenant = await api.tenant(SCOPES)
/** The ids of rows that exist, by a part of the names of the operations that take them. */
let ids: readonly (readonly [part: string, id: string])[]

beforeAll(async () => {
  const {
    createWebhook,
    createApiKey: key,
    setAlertAddress,
  } = await tenant.ask(`mutation {
    createWebhook(input: { url: "https://example.com", eventSubscriptions: ["${JOINED}"], enabled: true }) {
      ... on CreateWebhookSuccess { webhook { id } } }
    createApiKey(input: { scopes: ["webhooks:read"] }) {
      ... on CreateApiKeySuccess { createdApiKey { apiKey { id } } } }
    setAlertAddress(input: { email: "ada@example.org", kinds: [SECRET_ROTATED] }) {
      ... on SetAlertAddressSuccess { alertAddress { id } } }
  }`)
  ids = [
    ['ApiKey', key.createdApiKey.apiKey.id],
    ['AlertAddress', setAlertAddress.alertAddress.id],
    ['EventType', `type_${JOINED}`],
    ['rganization', tenant.publicOrganizationId],
    ['', createWebhook.webhook.id],
  ]
})

const idOf: IdOf = (operation) => ids.find(([part]) => operation.includes(part))?.[1] ?? ''

/** A place of text below an argument. */
interface Place {
  readonly path: string
  readonly scalar: string
  readonly name: string
  /** The value of the argument with a text at this place. */
  with(text: unknown, operation: string): unknown
}

const MAX_DEPTH = 5

function placesIn(type: GraphQLInputType, name: string, depth = 0): Place[] {
  if (isNonNullType(type)) return placesIn(type.ofType, name, depth)
  if (isListType(type)) {
    return placesIn(type.ofType, name, depth).map((place) => ({
      ...place,
      with: (text, operation) => [place.with(text, operation)],
    }))
  }
  if (isScalarType(type)) {
    const takesText = ['String', 'ID', 'JSON'].includes(type.name)
    return takesText ? [{ path: name, scalar: type.name, name, with: (text) => text }] : []
  }
  if (!isInputObjectType(type) || depth === MAX_DEPTH) return []
  return Object.values(type.getFields()).flatMap((field) =>
    placesIn(field.type, field.name, depth + 1).map((place) => ({
      ...place,
      path: `${name}.${place.path}`,
      with: (text: unknown, operation: string) => ({
        ...(type.isOneOf ? {} : (sampleOf(type, name, operation, idOf) as object)),
        [field.name]: place.with(text, operation),
      }),
    })),
  )
}

interface Call {
  readonly operation: 'query' | 'mutation'
  readonly field: Field
  readonly argument: string
  readonly place: Place
}

const CALLS: readonly Call[] = (['query', 'mutation'] as const).flatMap((operation) =>
  Object.values(SCHEMA.getRootType(operation as OperationTypeNode)?.getFields() ?? {}).flatMap(
    (field) =>
      field.args.flatMap(({ name, type }) =>
        placesIn(type, name).map((place) => ({ operation, field, argument: name, place })),
      ),
  ),
)

/** The answer to a call with a NUL at its place. */
async function answerTo({ operation, field, argument, place }: Call): Promise<string> {
  const text = { String: `a\0${TEXTS[place.name] ?? 'b'}`, ID: 'a\0b', JSON: { 'a\0': ['b\0'] } }
  const required = field.args.filter(isRequiredArgument)
  const variables: Record<string, unknown> = {
    ...Object.fromEntries(
      required.map(({ name, type }) => [name, sampleOf(type, name, field.name, idOf)]),
    ),
    [argument]: place.with(text[place.scalar as keyof typeof text], field.name),
  }
  const given = field.args.filter(({ name }) => name in variables)
  const query = `${operation} (${given.map(({ name, type }) => `$${name}: ${type}`)}) {
    ${field.name}(${given.map(({ name }) => `${name}: $${name}`)}) ${selectionOf(field)}
  }`
  const { data, errors } = await tenant.call(query, variables)
  return JSON.stringify({ data, errors })
}

/** A field whose own rule a NUL breaks may name that. */
const REFUSED =
  /must not contain the NUL character|be a cursor from a page|be an HTTP status or|not have control characters/

test('a text with NUL is refused at every argument of every operation', async () => {
  const answers = await answersOf('String')
  expect(answers.size).toBeGreaterThan(100)
  for (const [place, answer] of answers) {
    expect(answer, place).toMatch(REFUSED)
  }
})

test('an id or a value of JSON with NUL causes no fault', async () => {
  const answers = new Map([...(await answersOf('ID')), ...(await answersOf('JSON'))])
  expect(answers.size).toBeGreaterThan(50)
  for (const [place, answer] of answers) expect(answer, place).not.toContain('INTERNAL')
  // Data are kept as they are.
  expect(answers.get('publishEvent input.data')).toContain('PublishEventSuccess')
})

async function answersOf(scalar: string): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const call of CALLS.filter(({ place }) => place.scalar === scalar)) {
    answers.set(`${call.field.name} ${call.place.path}`, await answerTo(call))
  }
  return answers
}
