import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { printSchemaWithDirectives } from '../../src/graphql/print-schema.ts'
import { schema } from '../../src/server/schema.ts'
import { useTestApp } from '../support/app.ts'
import { readAnswer } from './support/api.ts'

const posthorn = await useTestApp({
  role: 'api',
  environment: { POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' },
})

const send = async (query: string, headers: Record<string, string> = {}) =>
  await readAnswer(
    await fetch(`${posthorn.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    }),
  )

const sorted = (one: GraphQLSchema) => printSchema(lexicographicSortSchema(one))

describe('without a key', () => {
  const OPTIONS = [
    'descriptions',
    'specifiedByUrl',
    'directiveIsRepeatable',
    'schemaDescription',
    'inputValueDeprecation',
    'oneOf',
  ] as const
  const combinations = Array.from({ length: 2 ** OPTIONS.length }, (_, bits) =>
    Object.fromEntries(OPTIONS.map((option, i) => [option, Boolean(bits & (1 << i))])),
  )

  const PRINTED = ['descriptions', 'specifiedByUrl', 'inputValueDeprecation', 'oneOf']

  test('the introspection query of graphql-js works with all of its options', async () => {
    for (const [i, options] of combinations.entries()) {
      // Each client has its own address, as behind a proxy.
      const client = { 'x-forwarded-for': `198.51.100.${i}` }
      const { data, errors } = await send(getIntrospectionQuery(options), client)
      expect(errors).toBeUndefined()
      const read = sorted(buildClientSchema(data))
      if (PRINTED.every((option) => options[option])) expect(read).toBe(sorted(schema))
    }
  })

  test('the feature detection query of the urql tools works', async () => {
    const { data, errors } = await send(`query IntrospectSupportQuery {
      directive: __type(name: "__Directive") { fields { name args { name } } }
      field: __type(name: "__Field") { fields { name args { name } } }
      type: __type(name: "__Type") { fields { name } }
      inputValue: __type(name: "__InputValue") { fields { name } }
    }`)
    expect(errors).toBeUndefined()
    expect(data.inputValue.fields).toContainEqual({ name: 'defaultValue' })
  })

  test('a schema field that several fragments select is returned once', async () => {
    const { data, errors } = await send(
      `{ __schema { queryType { ...a ...b } } __schema { queryType { kind } } __typename }
       fragment a on __Type { name } fragment b on __Type { name ...a }`,
    )
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      __schema: { queryType: { name: 'Query', kind: 'OBJECT' } },
      __typename: 'Query',
    })
  })

  test.each([
    '{ viewer { scopes } }',
    '{ __typename viewer { scopes } }',
    '{ ...a } fragment a on Query { __schema { description } ... on Query { viewer { scopes } } }',
    'query a { __typename } query b { viewer { scopes } }',
    'mutation { deleteWebhook(id: "wh_x") { __typename } }',
    '{ nothing }',
  ])('%s is rejected as a whole before validation', async (query) => {
    const { status, data, errors } = await send(query)
    expect(status).toBe(401)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })
})

describe('with a key or without', () => {
  const rejected = async (query: string) => {
    const { authorization } = { authorization: `Bearer ${posthorn.tenant.token}` }
    const [keyless, caller] = await Promise.all([send(query), send(query, { authorization })])
    expect(keyless.errors).toEqual(caller.errors)
    return keyless.errors
  }

  test.each([
    '{ a: __schema { description } }',
    '{ __schema { a: types { name } } }',
    '{ __schema { types { ...a } } } fragment a on __Type { fields { a: name } }',
    '{ __type(name: "Query") { ... on __Type { a: name } } }',
  ])('an alias in introspection is rejected: %s', async (query) => {
    expect(await rejected(query)).toEqual([
      {
        message:
          'The document has 1 aliases in `__schema` and `__type`; at most 0 are allowed. Select each field by its own name, once.',
        extensions: {
          code: 'LIMIT_EXCEEDED',
          limit: 'aliases in `__schema` and `__type`',
          max: 0,
          found: 1,
        },
      },
    ])
  })

  test('a fifth `__type` is rejected', async () => {
    const types = ['a', 'b', 'c', 'd', 'e'].map(
      (alias) => `${alias}: __type(name: "Query") { name }`,
    )
    expect(await rejected(`{ ${types.join(' ')} }`)).toMatchObject([
      {
        message: expect.stringContaining(
          'Request all types with `__schema`, or read /schema.graphql.',
        ),
        extensions: { code: 'LIMIT_EXCEEDED', max: 4, found: 5 },
      },
    ])
  })
})

test('tools can read the schema as a file', async () => {
  const response = await fetch(`${posthorn.app.url}/schema.graphql`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(printSchemaWithDirectives(schema))
})
