import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { readAnswer, request, useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = useApi()
const tenant = useTenant(api)

const NESTED = 100_000

describe('a document', () => {
  const publishing = (numbers: number) =>
    `mutation { publishEvent(input: { type: "x", data: [${Array(numbers).fill(1).join(' ')}] }) { __typename } }`

  test('of 10,000 tokens is accepted, and of more rejected', async () => {
    const { data } = await api.call(tenant.token, publishing(9_980))
    expect(data.publishEvent.__typename).toBe('ValidationError')
    const { errors } = await api.call(tenant.token, publishing(9_981))
    expect(errors).toEqual([
      {
        message:
          'The document has more than 10,000 tokens; at most 10,000 are allowed. Pass long values in variables, or split the document.',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'tokens', max: 10_000 },
      },
    ])
  })

  test.each([
    ['no key', null],
    ['an unknown key', `phk_${'x'.repeat(49)}`],
  ])('with %s may have 1,000 tokens, which is checked first', async (_what, key) => {
    const { errors } = await api.call(key, publishing(981))
    expect(errors).toEqual([
      {
        message:
          'The document has more than 1,000 tokens; at most 1,000 are allowed. Send an API key for a higher limit: `Authorization: Bearer <API key>`.',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'tokens', max: 1_000 },
      },
    ])
  })

  const times = (count: number, part: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ')

  test.each([
    [
      'fields',
      1_000,
      (n: number) =>
        `{ viewer { organization { ${times(n - 502, () => 'id')} } ${times(500, () => 'scopes')} } }`,
    ],
    ['aliases', 100, (n: number) => `{ viewer { ${times(n, (i) => `a${i}: scopes`)} } }`],
    [
      'directives',
      100,
      (n: number) => `{ viewer { ${times(n, () => 'scopes @include(if: true)')} } }`,
    ],
    [
      'root fields',
      50,
      (n: number) =>
        `{ ${times(n - 2, () => '__typename')} ...f ...f ... { __typename } } fragment f on Query { __typename }`,
    ],
  ])('has a maximum number of %s: %i', async (limit, most, query) => {
    expect((await api.call(tenant.token, query(most))).errors).toBeUndefined()
    const { errors, data } = await api.call(tenant.token, query(most + 1))
    const [many, found] = [most, most + 1].map((number) => number.toLocaleString('en'))
    expect(data).toBeUndefined()
    expect(errors).toEqual([
      {
        message: `The document has ${found} ${limit}; at most ${many} are allowed. Split it into several operations.`,
        extensions: { code: 'LIMIT_EXCEEDED', limit, max: most, found: most + 1 },
      },
    ])
  })

  test('that selects one field with subfields more than 50 times is rejected', async () => {
    const query = (n: number) => `{ viewer { ${times(n, () => 'organization { id }')} } }`
    expect((await api.call(tenant.token, query(50))).errors).toBeUndefined()
    expect((await api.call(tenant.token, query(51))).errors).toEqual([
      {
        message:
          'The document has more than 50 selections of one field; at most 50 are allowed. Select it once, with all subfields.',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'selections of one field', max: 50 },
      },
    ])
  })

  test('whose fragments expand to more than 1,000 fields is rejected', async () => {
    const webhooks = (n: number) => times(n, (i) => `a${i}: webhooks(first: 0) { ...f }`)
    const query = (n: number) =>
      `{ ${webhooks(n)} } fragment f on WebhookConnection { nodes { ${times(18, () => 'id')} } }`
    expect((await api.call(tenant.token, query(50))).errors).toBeUndefined()
    const longer = query(50).replace('nodes {', '__typename nodes {')
    expect((await api.call(tenant.token, longer)).errors).toEqual([
      {
        message:
          'The document has more than 1,000 fields with those of its fragments; at most 1,000 are allowed. Split it into several operations.',
        extensions: {
          code: 'LIMIT_EXCEEDED',
          limit: 'fields with those of its fragments',
          max: 1_000,
        },
      },
    ])
  })

  test('whose fragments spread each other again and again is rejected without following all', async () => {
    const doubling = Array.from(
      { length: 14 },
      (_, i) => `fragment g${i} on __Type { ofType { ...g${i + 1} } interfaces { ...g${i + 1} } }`,
    )
    const query = `{ __type(name: "Query") { ...g0 } } ${doubling.join(' ')} fragment g14 on __Type { name }`
    expect((await api.call(tenant.token, query)).errors).toMatchObject([
      { extensions: { limit: 'fields with those of its fragments' } },
    ])
  })

  test('has at most 100 operations', async () => {
    const send = async (n: number) => {
      const query = times(n, (i) => `query q${i} { __typename }`)
      return await readAnswer(
        await api.handle(request(tenant.token, { query, operationName: 'q1' })),
      )
    }
    expect((await send(100)).errors).toBeUndefined()
    expect((await send(101)).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'operations', max: 100, found: 101 } },
    ])
  })

  test('with more than 1,000 spreads of fragments is rejected', async () => {
    const query = (n: number) => `{ ${times(n, () => '...f')} } fragment f on Query { __typename }`
    expect((await api.call(tenant.token, query(1_000))).errors).toBeUndefined()
    expect((await api.call(tenant.token, query(1_001))).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit: 'spreads of fragments', max: 1_000 } },
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

  test('that needs too many comparisons of fields is rejected with this reason', async () => {
    const { errors } = await api.call(
      tenant.token,
      `{ ${times(49, () => `viewer { ${times(19, () => 'scopes')} }`)} }`,
    )
    expect(errors).toEqual([
      {
        message:
          'The document has more than 500,000 comparisons of equal fields; at most 500,000 are allowed. Select each field once, and use fewer fragments.',
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'comparisons of equal fields', max: 500_000 },
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

  test('of the standard introspection query is accepted', async () => {
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
  ])(
    'that cannot be parsed, %j, gets an error with the position but not the text',
    async (query) => {
      const { errors, status } = await api.call(tenant.token, query)
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
    },
  )
})

test.each([
  ['{ webhooks(first: "secret") { nodes { id } } }'],
  ['query ($first: Int = "secret") { webhooks(first: $first) { nodes { id } } }'],
  ['{ webhook(id: { a: "secret" }) { id } }'],
  ['{ webhook(id: "secret") { id } webhook(id: "secret2") { id } }'],
  ['{ deliveries(filter: { states: "secret" }) { nodes { id } } }'],
  ['{ deliveries(filter: { state: "secret" }) { nodes { id } } }'],
  ['{ deliveries(filter: "secret") { nodes { id } } }'],
  ['mutation { createWebhook(input: { url: 1, headers: [{ name: "secret" }] }) { __typename } }'],
])(
  'an invalid value in a document, %j, gets an error with the position but not the value',
  async (query) => {
    const { errors } = await api.call(tenant.token, query)
    expect(errors?.length).toBeGreaterThan(0)
    for (const error of errors ?? []) {
      expect(error.locations?.length).toBeGreaterThan(0)
      expect(error.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' })
    }
    expect(JSON.stringify(errors)).not.toContain('secret')
  },
)

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

  test.each([
    { headers: [{ name: 'X-Key', value: { secret: 1 } }] },
    { headers: { 'X-Key': 'secret; at "x"; y' } },
    { headers: [{ value: 'secret' }] },
    { headers: 'secret' },
    { enabled: 'secret' },
  ])('of a wrong type, %j, get an error with the path but not the value', async (input) => {
    const { errors, status } = await api.call(tenant.token, document('webhooks', 'UpdateWebhook'), {
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
