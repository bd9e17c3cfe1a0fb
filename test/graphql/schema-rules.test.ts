import { readdirSync, readFileSync } from 'node:fs'
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'

/*
 * The rules of the schema, after those of Relay and of the public guides of Shopify and GitHub.
 */

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const fields = types
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
  )
const inputs = types.filter(isInputObjectType)
const connections = fields.filter(({ field }) => /Connection$/.test(getNamedType(field.type).name))

test('a code is an enum', () => {
  const strings = fields.filter(
    ({ field }) => field.name === 'code' && !isEnumType(getNamedType(field.type)),
  )
  expect(strings.map(({ path }) => path)).toEqual([])
})

test('extensions.code has only values of the enum ErrorCode', () => {
  const type = schema.getType('ErrorCode')
  const codes = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
  const root = new URL('../../src/graphql/', import.meta.url)
  const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, root), 'utf8'))
    .join('\n')
  const used = [...source.matchAll(/code: '([A-Z_]+)'/g)].map(([, code]) => code)
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((code) => !codes.includes(code as string))).toEqual([])
})

/** Lists of objects that are no connections, and why. A list of a bounded length is closed. */
const LISTS: Readonly<Record<string, string>> = {
  'AttemptRequest.headers': 'the headers of one request',
  'AttemptResponse.headers': 'the headers of one response',
  'BodyTrial.bodies': 'at most 10',
  'BodyTrial.issues': 'the problems of one selection or template',
  'CancelDeliveriesSuccess.deliveries': 'at most 100',
  'Consumer.openLeases': 'at most 100',
  'DeliveryHealth.waiting': 'one for each reason',
  'DeliveryHealth.webhooks': 'one for each state',
  'EventType.selectableFields': 'at most 500',
  'EventType.versions': 'the last 20',
  'FilterTrial.events': 'at most 100',
  'FilterTrial.issues': 'the problems of one filter',
  'Organization.alertAddresses': 'at most 20',
  'Organization.statistics': 'a time series, bounded by its range',
  'PublishEventsSuccess.publishedEvents': 'one for each event that was given',
  'Query.alertAddresses': 'at most 20',
  'Query.eventTypes': 'a catalogue, which forms read whole',
  'Query.nodes': 'one for each id that was given',
  'Query.statistics': 'a time series, bounded by its range',
  'RedeliverSuccess.deliveries': 'at most 100',
  'RevealHeadersSuccess.headers': 'the headers of one webhook',
  'ValidationError.issues': 'at most 100',
  'Webhook.eventSubscriptions': 'set whole by its mutations',
  'Webhook.expiringSigningSecrets': 'at most five',
  'Webhook.holds': 'marks of a chart, at most 100',
  'Webhook.statistics': 'a time series, bounded by its range',
}

test('every list of objects is a connection, or is listed with its reason', () => {
  const lists = fields.filter(({ path, field }) => {
    const isPage = /(Connection|Edge)\./.test(path)
    return (
      !isPage && isListType(getNullableType(field.type)) && 'getFields' in getNamedType(field.type)
    )
  })
  const listed = [...lists.map(({ path }) => path), 'Query.nodes']
  expect([...new Set(listed)].toSorted()).toEqual(Object.keys(LISTS))
})

test('a connection takes a page, a filter and an order, and nothing else', () => {
  // `newestOfEvent` compares the deliveries that match, so it is no part of the filter.
  const known = ['first', 'after', 'last', 'before', 'filter', 'orderBy', 'newestOfEvent']
  const odd = connections.filter(
    ({ field }) =>
      field.args.some(({ name }) => !known.includes(name)) ||
      !['first', 'after'].every((name) => field.args.some((arg) => arg.name === name)),
  )
  expect(odd.map(({ path }) => path)).toEqual([])
})

/** Connections in another order than newest first. Their description gives the reason. */
const OTHER_ORDERS = [
  'Organization.failures',
  'Organization.incidents',
  'Query.failures',
  'Query.incidents',
]

test('connections are newest first', () => {
  const others = connections.filter(({ field }) => {
    const order = field.args.find(({ name }) => name === 'orderBy')
    return !/newest first/.test(String(field.description)) && order?.defaultValue !== 'newest first'
  })
  expect(others.map(({ path }) => path).toSorted()).toEqual(OTHER_ORDERS)
})

test('an input asks one question in one way: nothing is there for one and for several', () => {
  const twice = inputs.flatMap((type) => {
    const names = Object.keys(type.getFields())
    return names.filter((name) => names.includes(`${name}s`)).map((name) => `${type.name}.${name}`)
  })
  expect(twice).toEqual([])
})

test('a Boolean reads as a fact: `is` stands only before a noun', () => {
  const named = fields
    .filter(({ field }) => String(getNamedType(field.type)) === 'Boolean')
    .filter(({ field }) => /^(is|are)[A-Z]/.test(field.name))
  expect(named.map(({ field }) => field.name).filter((name) => name !== 'isTest')).toEqual([])
})

test('an id of a node begins with the kind of the node', () => {
  const ids = fields.filter(({ field }) => /(^i|I)ds?$/.test(field.name))
  const strings = ids.filter(({ field }) => getNamedType(field.type).name !== 'ID')
  // The audit log is also about things that are no nodes.
  expect(strings.map(({ path }) => path)).toEqual(['AuditEntry.subjectId'])
})

test('no description repeats the scope that the directive adds', () => {
  const repeated = fields.filter(
    ({ field }) => (String(field.description).match(/Needs the scopes?/g) ?? []).length > 1,
  )
  expect(repeated.map(({ path }) => path)).toEqual([])
})

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})

/** The arguments that name what a mutation changes. */
const SUBJECTS = ['id', 'ids', 'uid']

test('a mutation names its subject by id or uid, and takes the rest as one input of its own type', () => {
  const odd = mutations.filter(({ name, args }) => {
    const rest = args.filter((argument) => !SUBJECTS.includes(argument.name))
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`
    return rest.some((argument) => argument.name !== 'input' || String(argument.type) !== type)
  })
  expect(odd.map(({ name }) => name)).toEqual([])
})

test('each mutation returns a union of one success and errors that share the interface UserError', () => {
  const wrong = mutations.filter(({ name, type }) => {
    const result = getNamedType(type)
    if (isNonNullType(type) || isListType(type) || !isUnionType(result)) return true
    const operation = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    if (result.name !== `${operation}Result`) return true
    const errors = result.getTypes().filter((member) => member.name !== `${operation}Success`)
    const areErrors = errors.every((error) =>
      error.getInterfaces().some((shared) => shared.name === 'UserError'),
    )
    return errors.length !== result.getTypes().length - 1 || !areErrors
  })
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('every error type of a mutation implements UserError, and only such types do', () => {
  const errors = types
    .filter((type) => isObjectType(type))
    .filter((type) => type.getInterfaces().some(({ name }) => name === 'UserError'))
  expect(errors.map(({ name }) => name).toSorted()).toEqual([
    'ConflictError',
    'EditConflictError',
    'EndpointVerificationError',
    'NotFoundError',
    'ValidationError',
  ])
})
