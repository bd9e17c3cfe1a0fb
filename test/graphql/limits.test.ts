import { describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

const NESTED = 100_000

const times = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')
const publishing = (tokens: number) =>
  `mutation { publishEvent(input: { type: "x", data: [${Array(tokens - 20)
    .fill(1)
    .join(' ')}] }) { __typename } }`
const onQuery = 'fragment f on Query { __typename }'
const webhooks = (n: number, more: string) =>
  `{ ${times(n, (i) => `a${i}: webhooks(first: 0) { ...f }`)} } fragment f on WebhookConnection { ${more} nodes { ${times(18, () => 'id')} } }`
const SPLIT = 'Split it into several operations.'

const viewer = (inner: string) => `{ viewer { ${inner} } }`
const LONG = 'Pass long values in variables, or split the document.'
const ONCE = 'Select it once, with all subfields.'
const rootFields = (n: number) =>
  `{ ${times(n - 2, () => '__typename')} ...f ...f ... { __typename } } ${onQuery}`
const compared = `{ ${times(49, () => viewer(times(19, () => 'scopes')).slice(1, -1))} }`

/** The maximum, the limit, a document with as many or nearly, the remedy, and a document with more. */
const LIMITS: readonly [number, string, (n: number) => string, string, string?][] = [
  [10_000, 'tokens', publishing, LONG],
  [50, 'selections of one field', (n) => viewer(times(n, () => 'organization { id }')), ONCE],
  [
    1_000,
    'fields with those of its fragments',
    () => webhooks(50, ''),
    SPLIT,
    webhooks(50, '__typename'),
  ],
  [1_000, 'spreads of fragments', (n) => `{ ${times(n, () => '...f')} } ${onQuery}`, SPLIT],
  [50, 'root fields', rootFields, SPLIT],
]

/** The error of a document. */
const errorOf = async (query: string, variables?: object) =>
  (await tenant.call(query, variables)).errors?.[0]

describe('a document', () => {
  test.each(LIMITS)('may have %i %s, and no more', async (max, limit, query, remedy, over) => {
    await tenant.ask(query(max))
    const { data, errors } = await tenant.call(over ?? query(max + 1))
    const most = max.toLocaleString('en')
    expect(data).toBeUndefined()
    expect(errors).toEqual([
      {
        message: expect.stringContaining(
          `The document exceeds the limit of ${most} ${limit}. ${remedy}`,
        ),
        extensions: { code: 'LIMIT_EXCEEDED', limit, max },
      },
    ])
  })

  test('is not validated beyond a bound of comparisons of equal fields', async () => {
    const { message, extensions } = await errorOf(compared)
    expect(message).toBe('Validation aborted.')
    expect(extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' })
  })

  test('counts the fields of all its operations', async () => {
    const fields = times(49, () => 'scopes')
    const send = (operations: number) => {
      const query = times(operations, (i) => `query q${i} { viewer { ${fields} } }`)
      return api.send(tenant.token, { query, operationName: 'q1' })
    }
    expect((await send(20)).errors).toBeUndefined()
    expect((await send(21)).errors).toMatchObject([
      { extensions: { limit: 'fields with those of its fragments', max: 1_000 } },
    ])
  })

  test('costs each alias of a list, and each field of its rows', async () => {
    const span = 'since: "2026-01-01T00:00:00Z", until: "2026-03-01T00:00:00Z"'
    const query = (n: number) =>
      `{ ${times(n, (i) => `a${i}: statistics(${span}) { start attempts failed succeeded }`)} }`
    await tenant.ask(query(2))
    const limit = 'fields in its largest response'
    expect(await errorOf(query(20))).toMatchObject({ extensions: { limit } })
  })

  test.each([
    ['braces', '{'.repeat(NESTED)],
    ['fields', '{a'.repeat(4_900)],
    ['lists', `{ node(id: ${'['.repeat(NESTED)}) { id } }`],
    ['objects', `{ node(id: ${'{a:'.repeat(3_000)}) { id } }`],
    ['parentheses', '{ a'.concat('('.repeat(NESTED))],
    ['types', `query ($a: ${'['.repeat(NESTED)}Int) { a }`],
  ])('of deeply nested %s is rejected without a crash', async (_what, query) => {
    const { status, errors } = await tenant.call(query)
    expect(status).toBe(200)
    const message =
      'The document exceeds the limit of 100 levels of nested brackets. Pass deeply nested values in variables.'
    expect(errors).toMatchObject([{ message, extensions: { code: 'LIMIT_EXCEEDED' } }])
  })

  test('may have 15 levels of fields, and no more, with its fragments', async () => {
    const nested = (depth: number) =>
      `{ __schema { types { ${'ofType { '.repeat(depth - 3)} name ${'} '.repeat(depth)}`
    await tenant.ask(nested(15))
    expect(await errorOf(nested(16))).toMatchObject({
      message:
        'The document exceeds the limit of 15 levels of nested fields. Split it into several operations.',
      extensions: { code: 'LIMIT_EXCEEDED' },
    })
    const fragments = times(15, (i) => `fragment f${i} on __Type { ofType { ...f${i + 1} } }`)
    const query = `{ __schema { types { ...f0 } } } ${fragments} fragment f15 on __Type { name }`
    expect((await errorOf(query)).message).toContain('limit of 15 levels')
  })

  test.each([
    ['{ viewer { ...a } } fragment a on Viewer { ...a }', 'within itself'],
    [
      '{ __type(name: "Query") { ...a } } fragment a on __Type { ofType { ...a } }',
      'limit of 15 levels',
    ],
  ])('with cyclic fragments is rejected: %s', async (query, message) => {
    expect((await errorOf(query)).message).toContain(message)
  })
})

describe('a response', () => {
  const LISTS = ['webhooks', 'deliveries', 'event', 'deliveries', 'attempts']
  const nested = LISTS.reduceRight(
    (inner, list) =>
      list === 'event'
        ? `event { id ${inner} }`
        : `${list}(first: $first) { nodes { id ${inner} } }`,
    '',
  )
  const NESTED_PAGES = `query ($first: Int!) { ${nested} }`

  test('with nested pages of a usual size is accepted, and of 100 rejected before anything is read', async () => {
    await tenant.ask(NESTED_PAGES, { first: 5 })
    const { data, errors } = await tenant.call(NESTED_PAGES, { first: 100 })
    const limit = 'fields in its largest response'
    expect(data).toBeUndefined()
    expect(errors).toEqual([
      {
        message:
          'The document exceeds the limit of 100,000 fields in its largest response. Request smaller pages (`first`), or split the operation.',
        extensions: { code: 'LIMIT_EXCEEDED', limit, max: 100_000, found: expect.any(Number) },
      },
    ])
    expect(errors?.[0].extensions.found).toBeGreaterThan(100_000_000)
    expect(api.statements.list).toEqual(['authenticate'])
  })

  const PAGE = 'query ($first: Int) { webhooks(first: $first) { nodes { id } } }'

  test.each([
    [2, '{ viewer { scopes } }', {}],
    [15, PAGE, { first: 7 }],
    [41, PAGE, {}],
    // Equal fields are one field of the response.
    [2, '{ viewer { scopes } ...f } fragment f on Query { viewer { scopes } }', {}],
  ])('names its cost: %i for %s with %j', async (requested, query, variables) => {
    const { extensions } = await tenant.call(query, variables)
    expect(extensions).toEqual({ cost: { requested, maximum: 100_000 } })
  })

  test('is measured for the requested operation, with the given variables', async () => {
    const query = `query large { ${nested.replaceAll('$first', '100')} } query small { viewer { scopes } }`
    const call = async (operationName: string) =>
      (await api.send(tenant.token, { query, operationName })).errors
    expect(await call('small')).toBeUndefined()
    const rejected = [{ extensions: { code: 'LIMIT_EXCEEDED' } }]
    expect(await call('large')).toMatchObject(rejected)
    const unresolved = [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }]
    expect(await call('neither')).toMatchObject(unresolved)
    const fallback = `query ($first: Int = 100) { ${nested} }`
    expect((await tenant.call(fallback)).errors).toMatchObject(rejected)
  })

  test.each([
    ['fragments', (large: string) => `{ ...f } fragment f on Query { ${large} }`],
    [
      'an invalid argument',
      (large: string) => `query ($id: ID = "x") { webhook(id: $id) { id } ${large} }`,
    ],
  ])('cannot be hidden behind %s', async (_what, queryOf) => {
    const query = queryOf(nested.replaceAll('$first', '100'))
    const { data, errors } = await tenant.call(query, { id: null })
    expect(data).toBeUndefined()
    expect(errors).toHaveLength(1)
  })
})

test('a response of more than 10 MB is replaced by an error with the remedy', async () => {
  const event = { type: JOINED, data: { text: 'x'.repeat(250_000) } }
  for (let i = 0; i < 5; i++)
    await api.deps.publishEvents(tenant.organizationId, Array(10).fill(event))
  const { data, errors } = await tenant.call('{ events(first: 50) { nodes { id data } } }')
  const limit = 'bytes in the response'
  expect(data).toBeUndefined()
  expect(errors).toEqual([
    {
      message:
        'The response is larger than 10,000,000 bytes. Request smaller pages (`first`) or fewer large fields.',
      extensions: { code: 'LIMIT_EXCEEDED', limit, max: 10_000_000 },
    },
  ])
})

test('a body holds JSON of at most 200 levels', async () => {
  const query = JSON.stringify(document('events', 'PublishEvent'))
  const publish = (depth: number) => {
    const data = '{"a":'.repeat(depth).concat('1', '}'.repeat(depth))
    const variables = `{"input": {"type": "${JOINED}", "data": ${data}}}`
    return api.send(tenant.token, `{"query": ${query}, "variables": ${variables}}`)
  }
  expect((await publish(197)).data.publishEvent.__typename).toBe('PublishEventSuccess')
  for (const depth of [198, NESTED]) {
    const message = 'The body is nested more than 200 levels deep.'
    const extensions = { code: 'BAD_REQUEST' }
    expect((await publish(depth)).errors).toMatchObject([{ message, extensions }])
  }
})
