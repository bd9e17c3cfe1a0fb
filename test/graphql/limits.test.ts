import { describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { readAnswer, request, useApi, useTenant } from './support/api.ts'
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

interface Limit {
  readonly limit: string
  readonly max: number
  /** A document with as many, or nearly. */
  readonly query: (n: number) => string
  readonly remedy: string
  /** Others say that there are more, because counting has stopped. */
  readonly isCounted?: true
  readonly over?: string
}

const LIMITS: readonly Limit[] = [
  {
    limit: 'tokens',
    max: 10_000,
    query: publishing,
    remedy: 'Pass long values in variables, or split the document.',
  },
  {
    limit: 'fields',
    max: 1_000,
    query: (n) =>
      `{ viewer { organization { ${times(n - 502, () => 'id')} } ${times(500, () => 'scopes')} } }`,
    remedy: SPLIT,
    isCounted: true,
  },
  {
    limit: 'aliases',
    max: 100,
    query: (n) => `{ viewer { ${times(n, (i) => `a${i}: scopes`)} } }`,
    remedy: SPLIT,
    isCounted: true,
  },
  {
    limit: 'directives',
    max: 100,
    query: (n) => `{ viewer { ${times(n, () => 'scopes @include(if: true)')} } }`,
    remedy: SPLIT,
    isCounted: true,
  },
  {
    limit: 'root fields',
    max: 50,
    query: (n) => `{ ${times(n - 2, () => '__typename')} ...f ...f ... { __typename } } ${onQuery}`,
    remedy: SPLIT,
    isCounted: true,
  },
  {
    limit: 'selections of one field',
    max: 50,
    query: (n) => `{ viewer { ${times(n, () => 'organization { id }')} } }`,
    remedy: 'Select it once, with all subfields.',
  },
  {
    limit: 'fields with those of its fragments',
    max: 1_000,
    query: () => webhooks(50, ''),
    over: webhooks(50, '__typename'),
    remedy: SPLIT,
  },
  {
    limit: 'spreads of fragments',
    max: 1_000,
    query: (n) => `{ ${times(n, () => '...f')} } ${onQuery}`,
    remedy: SPLIT,
  },
  {
    limit: 'comparisons of equal fields',
    max: 500_000,
    query: () => '{ viewer { scopes } }',
    over: `{ ${times(49, () => `viewer { ${times(19, () => 'scopes')} }`)} }`,
    remedy: 'Select each field once, and use fewer fragments.',
  },
]

describe('a document', () => {
  test.each(LIMITS)(
    'may have $max $limit, and no more',
    async ({ limit, max, query, over, ...rest }) => {
      expect((await api.call(tenant.token, query(max))).errors).toBeUndefined()
      const { data, errors } = await api.call(tenant.token, over ?? query(max + 1))
      const [most, next] = [max, max + 1].map((number) => number.toLocaleString('en'))
      const found = rest.isCounted ? next : `more than ${most}`
      expect(data).toBeUndefined()
      expect(errors).toEqual([
        {
          message: expect.stringContaining(
            `The document has ${found} ${limit}; at most ${most} are allowed. ${rest.remedy}`,
          ),
          extensions: {
            ...{ code: 'LIMIT_EXCEEDED', limit, max },
            ...(rest.isCounted && { found: max + 1 }),
          },
        },
      ])
    },
  )

  test.each([
    ['no key', null],
    ['an unknown key', `phk_${'x'.repeat(49)}`],
  ])('with %s may have 1,000 tokens, which is checked first', async (_what, key) => {
    expect((await api.call(key, publishing(1_001))).errors).toEqual([
      {
        message:
          'The document has more than 1,000 tokens; at most 1,000 are allowed. Send an API key for a higher limit: `Authorization: Bearer <API key>`.',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'tokens', max: 1_000 },
      },
    ])
  })

  test('whose fragments spread each other again and again is rejected without following all', async () => {
    const doubling = times(
      14,
      (i) => `fragment g${i} on __Type { ofType { ...g${i + 1} } interfaces { ...g${i + 1} } }`,
    )
    const query = `{ __type(name: "Query") { ...g0 } } ${doubling} fragment g14 on __Type { name }`
    expect((await api.call(tenant.token, query)).errors).toMatchObject([
      { extensions: { limit: 'fields with those of its fragments' } },
    ])
  })

  test('has at most 100 operations', async () => {
    const send = async (n: number) => {
      const query = times(n, (i) => `query q${i} { __typename }`)
      const asked = request(tenant.token, { query, operationName: 'q1' })
      return await readAnswer(await api.handle(asked))
    }
    expect((await send(100)).errors).toBeUndefined()
    expect((await send(101)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'operations', max: 100, found: 101 } },
    ])
  })

  test('costs each alias of a list, and each field of its rows', async () => {
    const span = 'since: "2026-01-01T00:00:00Z", until: "2026-03-01T00:00:00Z"'
    const query = (n: number) =>
      `{ ${times(n, (i) => `a${i}: statistics(${span}) { start attempts failed succeeded }`)} }`
    expect((await api.call(tenant.token, query(2))).errors).toBeUndefined()
    expect((await api.call(tenant.token, query(20))).errors).toMatchObject([
      { extensions: { limit: 'fields in its largest response' } },
    ])
  })

  test.each([
    ['braces', '{'.repeat(NESTED)],
    ['fields', '{a'.repeat(4_900)],
    ['lists', `{ node(id: ${'['.repeat(NESTED)}) { id } }`],
    ['objects', `{ node(id: ${'{a:'.repeat(3_000)}) { id } }`],
    ['parentheses', '{ a'.concat('('.repeat(NESTED))],
    ['types', `query ($a: ${'['.repeat(NESTED)}Int) { a }`],
  ])('of deeply nested %s is rejected without a crash', async (_what, query) => {
    const { status, errors } = await api.call(tenant.token, query)
    expect(status).toBe(200)
    expect(errors).toMatchObject([
      {
        message:
          'The document has more than 100 levels of nested brackets; at most 100 are allowed. Pass deeply nested values in variables.',
        extensions: { code: 'LIMIT_EXCEEDED' },
      },
    ])
  })

  test('of 15 levels of fields is accepted, and of 16 rejected', async () => {
    const type = (depth: number) =>
      `{ __schema { types { ${'ofType { '.repeat(depth - 3)} name ${'} '.repeat(depth)}`
    const { errors: none } = await api.call(tenant.token, type(15))
    expect(none).toBeUndefined()
    const { errors } = await api.call(tenant.token, type(16))
    expect(errors).toMatchObject([
      {
        message:
          'The document has 16 levels of nested fields; at most 15 are allowed. Split it into several operations.',
        extensions: { code: 'LIMIT_EXCEEDED' },
      },
    ])
  })

  test('has its depth measured with its fragments', async () => {
    const fragments = Array.from(
      { length: 15 },
      (_, i) => `fragment f${i} on __Type { ofType { ...f${i + 1} } }`,
    )
    const query = `{ __schema { types { ...f0 } } } ${fragments.join(' ')} fragment f15 on __Type { name }`
    const { errors } = await api.call(tenant.token, query)
    expect(errors).toMatchObject([
      { message: expect.stringContaining('has 18 levels of nested fields') },
    ])
  })

  test('with cyclic fragments is rejected', async () => {
    for (const query of [
      '{ viewer { ...a } } fragment a on Viewer { ...a }',
      '{ __type(name: "Query") { ...a } } fragment a on __Type { ofType { ...a } }',
    ]) {
      const { errors } = await api.call(tenant.token, query)
      expect(errors).toMatchObject([{ message: expect.stringContaining('within itself') }])
    }
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

  test('can have a page of 50 deliveries with event, webhook and 10 attempts each', async () => {
    const page = `query ($first: Int!) { deliveries(first: $first) {
      pageInfo { hasNextPage endCursor }
      edges { cursor node {
        id state createdAt event { id type { name } data } webhook { id url headerNames }
        attempts(first: 10) { nodes { id number response { body headers { name value } } request { headers { name value } } } }
      } }
    } }`
    const { errors } = await api.call(tenant.token, page, { first: 50 })
    expect(errors).toBeUndefined()
    // Payloads and bodies cost most. Without them, a page can have twice as many.
    const lighter = page
      .replace('id type { name } data', 'id type { name }')
      .replace('response { body headers { name value } } ', '')
    expect((await api.call(tenant.token, lighter, { first: 100 })).errors).toBeUndefined()
  })

  test('with nested pages of 100 is rejected before anything is read', async () => {
    const { data, errors } = await api.call(tenant.token, `query ($first: Int!) { ${nested} }`, {
      first: 100,
    })
    expect(data).toBeUndefined()
    expect(errors).toEqual([
      {
        message: expect.stringMatching(
          /^The document has [\d,]+ fields in its largest response; at most 100,000 are allowed\. Request smaller pages \(`first`\), or split the operation\.$/,
        ),
        extensions: {
          code: 'LIMIT_EXCEEDED',
          limit: 'fields in its largest response',
          max: 100_000,
          found: expect.any(Number),
        },
      },
    ])
    expect(errors?.[0].extensions.found).toBeGreaterThan(100_000_000)
    expect(api.statements.list).toEqual(['authenticate'])
  })

  const cost = async (query: string, variables = {}) =>
    (await api.call(tenant.token, query, variables)).extensions

  test('names the cost of its operation, as the limit counts it', async () => {
    const page = 'query ($first: Int) { webhooks(first: $first) { nodes { id } } }'
    expect(await cost('{ viewer { scopes } }')).toEqual({
      cost: { requested: 2, maximum: 100_000 },
    })
    expect(await cost(page, { first: 7 })).toEqual({ cost: { requested: 15, maximum: 100_000 } })
    expect(await cost(page)).toEqual({ cost: { requested: 41, maximum: 100_000 } })
    // Equal fields are one field of the response.
    expect(
      await cost('{ viewer { scopes } ...f } fragment f on Query { viewer { scopes } }'),
    ).toEqual({ cost: { requested: 2, maximum: 100_000 } })
  })

  test('with nested pages of a usual size is accepted', async () => {
    const { errors } = await api.call(tenant.token, `query ($first: Int!) { ${nested} }`, {
      first: 5,
    })
    expect(errors).toBeUndefined()
  })

  test('is measured for the requested operation, with the given variables', async () => {
    const query = `query large { ${nested.replaceAll('$first', '100')} } query small { viewer { scopes } }`
    const call = async (operationName: string) =>
      await readAnswer(await api.handle(request(tenant.token, { query, operationName })))
    expect((await call('small')).errors).toBeUndefined()
    expect((await call('large')).errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED' } }])
    expect((await call('neither')).errors).toMatchObject([
      { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } },
    ])
    const fallback = `query ($first: Int = 100) { ${nested} }`
    expect((await api.call(tenant.token, fallback)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED' } },
    ])
  })

  test('cannot be hidden behind fragments or an invalid argument', async () => {
    const large = nested.replaceAll('$first', '100')
    for (const query of [
      `{ ...f } fragment f on Query { ${large} }`,
      `query ($id: ID = "x") { webhook(id: $id) { id } ${large} }`,
    ]) {
      const { data, errors } = await api.call(tenant.token, query, { id: null })
      expect(data).toBeUndefined()
      expect(errors).toHaveLength(1)
    }
  })
})

describe('variables', () => {
  const publish = (data: string) =>
    request(
      tenant.token,
      `{"query": ${JSON.stringify(document('events', 'PublishEvent'))},
        "variables": {"input": {"type": "${JOINED}", "data": ${data}}}}`,
    )

  test('hold JSON of at most 128 levels', async () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const taken = await readAnswer(await api.handle(publish(nested(128))))
    expect(taken.data.publishEvent.__typename).toBe('PublishEventSuccess')
    for (const [depth, message, code] of [
      [129, 'A JSON value may be nested at most 128 deep.', 'BAD_USER_INPUT'],
      [NESTED, 'The body is nested more than 200 levels deep.', 'BAD_REQUEST'],
    ] as const) {
      const { errors } = await readAnswer(await api.handle(publish(nested(depth))))
      expect(errors).toMatchObject([
        { message: expect.stringContaining(message), extensions: { code } },
      ])
    }
  })

  test.each(['id', 'input'])('nested deeply where %s is expected are rejected', async (name) => {
    const deep = '['.repeat(190) + ']'.repeat(190)
    const body = `{"query": ${JSON.stringify(document('webhooks', 'UpdateWebhook'))}, "variables": {"${name}": ${deep}}}`
    const { errors } = await readAnswer(await api.handle(request(tenant.token, body)))
    for (const error of errors ?? []) expect(error.extensions.code).toBe('BAD_USER_INPUT')
    expect(errors?.length).toBeGreaterThan(0)
  })
})
