import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { printSchemaWithDirectives } from '../../src/graphql/directives.ts'
import { schema } from '../../src/server/schema.ts'
import { useTestApp } from '../support/app.ts'
import { useApi } from './support/api.ts'

const api = await useApi()
const tenant = await api.tenant()
const send = (query: string) => tenant.call(query)

const sorted = (one: GraphQLSchema) => printSchema(lexicographicSortSchema(one))

test('the introspection query of graphql-js works, with all of its options and with none', async () => {
  const options = {
    ...{ descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true },
    ...{ schemaDescription: true, inputValueDeprecation: true, oneOf: true },
  }
  const { data, errors } = await send(getIntrospectionQuery(options))
  expect(errors).toBeUndefined()
  expect(sorted(buildClientSchema(data))).toBe(sorted(schema))
  const none = Object.fromEntries(Object.keys(options).map((name) => [name, false]))
  expect((await send(getIntrospectionQuery(none))).errors).toBeUndefined()
})

describe('introspection', () => {
  const rejected = async (query: string) => (await send(query)).errors

  test.each([
    '{ a: __schema { description } }',
    '{ __schema { a: types { name } } }',
    '{ __schema { types { ...a } } } fragment a on __Type { fields { a: name } }',
    '{ __type(name: "Query") { ... on __Type { a: name } } }',
  ])('an alias in introspection is rejected: %s', async (query) => {
    const limit = 'aliases in `__schema` and `__type`'
    const message = `The document exceeds the limit of 0 ${limit}. Select each field by its own name, once.`
    const extensions = { code: 'LIMIT_EXCEEDED', limit, max: 0 }
    expect(await rejected(query)).toEqual([{ message, extensions }])
  })

  test('a fifth `__type` is rejected', async () => {
    const types = [...'abcde'].map((alias) => `${alias}: __type(name: "Query") { name }`)
    expect(await rejected(`{ ${types.join(' ')} }`)).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'fields in its largest response' } },
    ])
  })
})

test('tools can read the schema as a file', async () => {
  const { app } = await useTestApp({ role: 'api' })
  const response = await fetch(`${app.url}/schema.graphql`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(printSchemaWithDirectives(schema))
})
