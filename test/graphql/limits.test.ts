import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { type Api, openApi, readAnswer, request } from './support/api.ts'
import { document } from './support/document.ts'

let api: Api
let token: string

beforeAll(async () => {
  api = await openApi()
  token = (await api.tenant()).token
})
afterAll(() => api[Symbol.asyncDispose]())

const NESTED = 100_000

describe('a document', () => {
  test('of 10,000 tokens is read, of more refused', async () => {
    const aliased = Array.from({ length: 3_332 }, (_, i) => `a${i}: __typename`).join(' ')
    const { data } = await api.call(
      token,
      `{ b: __typename ${aliased} }`.replace('b:', ' __typename'),
    )
    expect(Object.keys(data)).toHaveLength(3_333)
    const { errors } = await api.call(token, `{ b: __typename ${aliased} }`)
    expect(errors).toMatchObject([
      {
        message: 'The document has more than 10,000 tokens.',
        extensions: { code: 'GRAPHQL_PARSE_FAILED' },
      },
    ])
  })

  test.each([
    ['braces', '{'.repeat(NESTED)],
    ['fields', '{a'.repeat(4_900)],
    ['lists', `{ node(id: ${'['.repeat(NESTED)}) { id } }`],
    ['objects', `{ node(id: ${'{a:'.repeat(3_000)}) { id } }`],
    ['parentheses', '{ a'.concat('('.repeat(NESTED))],
    ['types', `query ($a: ${'['.repeat(NESTED)}Int) { a }`],
  ])('of %s nested very deep is refused without a crash', async (_what, query) => {
    const { status, errors } = await api.call(token, query)
    expect(status).toBe(200)
    expect(errors).toMatchObject([
      {
        message: 'The document nests brackets more than 100 deep. Give deep values in variables.',
        extensions: { code: 'GRAPHQL_PARSE_FAILED' },
      },
    ])
  })

  test('of 15 fields inside each other is answered, of 16 refused', async () => {
    const type = (depth: number) =>
      `{ __schema { types { ${'ofType { '.repeat(depth - 3)} name ${'} '.repeat(depth)}`
    const { errors: none } = await api.call(token, type(15))
    expect(none).toBeUndefined()
    const { errors } = await api.call(token, type(16))
    expect(errors).toMatchObject([
      {
        message:
          'The operation is 16 fields deep; at most 15 are allowed. Ask in several operations.',
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ])
  })

  test('is measured with its fragments', async () => {
    const fragments = Array.from(
      { length: 15 },
      (_, i) => `fragment f${i} on __Type { ofType { ...f${i + 1} } }`,
    )
    const query = `{ __schema { types { ...f0 } } } ${fragments.join(' ')} fragment f15 on __Type { name }`
    const { errors } = await api.call(token, query)
    expect(errors).toMatchObject([{ message: expect.stringContaining('18 fields deep') }])
  })

  test('whose fragments go round in a circle is refused', async () => {
    const { errors } = await api.call(token, '{ viewer { ...a } } fragment a on Viewer { ...a }')
    expect(errors).toMatchObject([{ message: expect.stringContaining('within itself') }])
  })

  test('of the usual introspection is answered', async () => {
    const query = getIntrospectionQuery({
      inputValueDeprecation: true,
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      oneOf: true,
    })
    const { errors } = await api.call(null, query)
    expect(errors).toBeUndefined()
  })

  test.each([
    ['{ secret_name "secret_text" '],
    ['{ viewer { scopes }'],
    ['query secret_name secret_name { a }'],
    ['{ a(b: 12secret_name) }'],
    ['{ a(b: "secret_text'],
    ['{ a @secret_name( }'],
  ])('that cannot be parsed, %j, is told where, not what', async (query) => {
    const { errors, status } = await api.call(token, query)
    expect(status).toBe(200)
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('Syntax Error'),
        locations: [{ line: 1 }],
        extensions: { code: 'GRAPHQL_PARSE_FAILED' },
      },
    ])
    expect(JSON.stringify(errors)).not.toContain('secret')
    expect(JSON.stringify(errors)).not.toContain('stack')
  })
})

describe('variables', () => {
  const publish = (data: string) =>
    request(
      token,
      `{"query": ${JSON.stringify(document('events', 'PublishEvent'))},
        "variables": {"input": {"type": "${JOINED}", "data": ${data}}}}`,
    )

  test('hold JSON 128 deep, and no deeper', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const taken = await readAnswer(await api.handle(publish(nested(128))))
    expect(taken.data.publishEvent.__typename).toBe('PublishEventSuccess')
    for (const depth of [129, NESTED]) {
      const { errors } = await readAnswer(await api.handle(publish(nested(depth))))
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining('A JSON value may be nested at most 128 deep.'),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ])
    }
  })

  test.each(['id', 'input'])('nested very deep where %s is expected are refused', async (name) => {
    const deep = '['.repeat(NESTED) + ']'.repeat(NESTED)
    const body = `{"query": ${JSON.stringify(document('webhooks', 'UpdateWebhook'))}, "variables": {"${name}": ${deep}}}`
    const { errors } = await readAnswer(await api.handle(request(token, body)))
    for (const error of errors ?? []) expect(error.extensions.code).toBe('BAD_USER_INPUT')
    expect(errors?.length).toBeGreaterThan(0)
  })

  test.each([
    { headers: [{ name: 'X-Key', value: { secret: 1 } }] },
    { headers: { 'X-Key': 'secret; at "x"; y' } },
    { headers: [{ name: 'secret' }] },
    { headers: 'secret' },
    { enabled: 'secret' },
  ])('that do not fit, %j, are told where, not what', async (input) => {
    const { errors, status } = await api.call(token, document('webhooks', 'UpdateWebhook'), {
      id: 'wh_x',
      input,
    })
    expect(status).toBe(400)
    for (const error of errors ?? []) {
      expect(error.message).toMatch(/^Variable "\$input" got an invalid value at "input\./)
      expect(error.extensions).toEqual({ code: 'BAD_USER_INPUT' })
    }
    expect(JSON.stringify(errors)).not.toContain('secret')
  })
})
