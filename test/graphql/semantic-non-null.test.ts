import SchemaBuilder from '@pothos/core'
import { getNamedType, graphql, isListType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { SEMANTIC_NON_NULL } from '../../src/graphql/directives.ts'
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
