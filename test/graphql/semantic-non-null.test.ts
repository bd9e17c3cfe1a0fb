import SchemaBuilder from '@pothos/core'
import {
  buildSchema,
  getNamedType,
  graphql,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  visit,
} from 'graphql'
import { expect, test } from 'vitest'
import { SEMANTIC_NON_NULL } from '../../src/graphql/directives.ts'
import { printSchemaWithDirectives } from '../../src/graphql/print-schema.ts'
import { schema } from '../../src/server/schema.ts'

const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields()).map((field) => ({
        path: `${type.name}.${field.name}`,
        field,
      }))
    : [],
)

const isSemanticNonNull = ({ extensions }: { readonly extensions: object }) =>
  SEMANTIC_NON_NULL in ((extensions as { directives?: object }).directives ?? {})

/** Nullable fields with a scope whose null has a meaning of its own. */
const MEANS_MORE: Record<string, string> = {
  'Attempt.delivery': 'past its retention',
  'Attempt.webhook': 'deleted',
  'AttemptRequest.body': 'past its retention',
  'BulkTask.webhook': 'deleted',
  'Delivery.body': 'past its retention',
  'Delivery.event': 'past its retention',
  'Delivery.webhook': 'deleted',
  'DeliveryExplanation.delivery': 'none',
  'FailureGroup.sample': 'deleted in the meantime',
  'FailureGroup.webhook': 'deleted',
  'Incident.webhook': 'deleted',
  'Organization.bulkTask': 'no such object',
  'Organization.consumer': 'no such object',
  'Organization.delivery': 'no such object',
  'Organization.event': 'no such object',
  'Organization.webhook': 'no such object',
  'PublishedEvent.event': 'past its retention',
  'Query.bulkTask': 'no such object',
  'Query.consumer': 'no such object',
  'Query.delivery': 'no such object',
  'Query.event': 'no such object',
  'Query.node': 'no such object',
  'Query.nodes': 'no such object',
  'Query.organization': 'no such object',
  'Query.webhook': 'no such object',
  'Subscription.attemptRecorded': 'deleted in the meantime',
  'Subscription.deliveryFinished': 'deleted in the meantime',
  'TriedBody.event': 'an example',
  'TriedEvent.event': 'deleted in the meantime',
  'Webhook.lastFailure': 'no failure',
  'Webhook.openIncident': 'no trouble',
  'WebhookBacklog.oldest': 'none waits',
  'WebhookHealthChange.webhook': 'deleted in the meantime',
}

test('a field that needs a scope is nullable, and marked if its null means only an error', () => {
  const scoped = fields.filter(
    ({ field }) => /Needs the scopes? /.test(field.description ?? '') && !isSemanticNonNull(field),
  )
  expect(scoped.map(({ path }) => path).toSorted()).toEqual(Object.keys(MEANS_MORE).toSorted())
  const notNullable = fields.filter(
    ({ field }) => isSemanticNonNull(field) && isNonNullType(field.type),
  )
  expect(notNullable).toEqual([])
})

test('each mutation and each list without its scope is marked, and no marked list has nullable items', () => {
  const marked = fields.filter(({ field }) => isSemanticNonNull(field))
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect(marked.map(({ path }) => path)).toEqual(
    expect.arrayContaining(mutations.map((name) => `Mutation.${name}`)),
  )
  const pages = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  expect(pages.every(({ field }) => isSemanticNonNull(field))).toBe(true)
  const lists = marked.filter(({ field }) => isListType(field.type))
  expect(lists.length).toBeGreaterThan(2)
  for (const { field } of lists) expect(String(field.type)).toMatch(/!\]$/)
})

test('schema.graphql has the directive at the marked fields, and is valid', () => {
  const text = printSchemaWithDirectives(schema)
  expect(() => buildSchema(text)).not.toThrow()
  const printed: string[] = []
  visit(parse(text), {
    ObjectTypeDefinition({ name, fields: definitions = [] }) {
      for (const { name: field, directives } of definitions) {
        if (directives?.some((one) => one.name.value === SEMANTIC_NON_NULL)) {
          printed.push(`${name.value}.${field.value}`)
        }
      }
    },
  })
  const marked = fields.filter(({ field }) => isSemanticNonNull(field)).map(({ path }) => path)
  expect(printed.toSorted()).toEqual(marked.toSorted())
})

test('a resolver that breaks the promise causes an error', async () => {
  // The types of all plugins are global, so that this builder would need the options of each.
  const builder = new SchemaBuilder({ plugins: ['posthorn'] } as never)
  builder.queryType({
    fields: (t) => ({
      kept: t.string({ semanticNonNull: true, resolve: () => 'value' }),
      broken: t.string({ semanticNonNull: true, resolve: () => null as unknown as string }),
      unmarked: t.string({ nullable: true, resolve: () => null }),
    }),
  })
  const result = await graphql({
    schema: builder.toSchema(),
    source: '{ kept broken unmarked }',
    contextValue: { identity: { session: null } },
  })
  expect(result.data).toEqual({ kept: 'value', broken: null, unmarked: null })
  expect(result.errors).toMatchObject([
    { path: ['broken'], message: 'Query.broken is null without an error.' },
  ])
})
