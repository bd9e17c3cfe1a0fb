import { beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const posthorn = await useTestApp({ role: 'api' })

beforeAll(async () => {
  await createEventType(
    posthorn.database.prisma,
    { name: 'anything', description: 'Any JSON.' },
    SYSTEM,
  )
})

async function post(body: string) {
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${posthorn.tenant.token}`,
      'content-type': 'application/json',
    },
    body,
  })
  return { status: response.status, answer: JSON.parse(await response.text()) }
}

const PUBLISHED =
  '{ ... on PublishEventSuccess { publishedEvent { id } } ... on UserError { message } }'

/** Publishes literal JSON, in a variable or in the document. Returns the `data` that is delivered, or null. */
async function publish(data: string, place: 'variable' | 'literal') {
  const field = (value: string) =>
    `publishEvent(input: { type: "anything", data: ${value} }) ${PUBLISHED}`
  const query =
    place === 'variable'
      ? `mutation ($data: JSON!) { ${field('$data')} }`
      : `mutation { ${field(data)} }`
  const variables = place === 'variable' ? data : '0'
  const { status, answer } = await post(
    `{"query":${JSON.stringify(query)},"variables":{"data":${variables}}}`,
  )
  const id = answer.data?.publishEvent?.publishedEvent?.id as string | undefined
  if (id === undefined) return { status, stored: null, answer }
  const { rows } = await posthorn.database.pool.query<{ data: string }>(
    `select data from posthorn.events order by id desc limit 1`,
  )
  return { status, stored: rows[0]?.data ?? null, answer }
}

describe('data is stored as JavaScript prints it, as docs/concepts/deliveries.md says', () => {
  test.each([
    ['9007199254740991', '9007199254740991'],
    ['18014398509481984', '18014398509481984'],
    ['1.0', '1'],
    ['-0', '0'],
    ['0.1', '0.1'],
    ['1e21', '1e+21'],
    ['1E3', '1000'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['10.50', '10.5'],
    ['3.141592653589793238', '3.141592653589793'],
    ['"12345678901234567890"', '"12345678901234567890"'],
    ['"1e400"', '"1e400"'],
  ])('the number %s, as %s', async (written, expected) => {
    for (const place of ['variable', 'literal'] as const) {
      expect((await publish(written, place)).stored, place).toBe(expected)
    }
  })

  test.each([
    ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'],
    ['a NUL character', '"a\\u0000b"'],
    ['a character pair', '"a\\ud83d\\ude00b"'],
    ['the end of a line of JavaScript', '"\u2028\u2029"'],
    ['a byte order mark', '"\ufeffx"'],
    ['every kind of value', '[null,true,false,"",[],{},{"":0}]'],
    ['lists in lists, 100 deep', '['.repeat(100) + ']'.repeat(100)],
    ['a long text', `"${'x'.repeat(200_000)}"`],
  ])('%s', async (_, written) => {
    const { stored } = await publish(written, 'variable')
    expect(JSON.parse(stored as string)).toEqual(JSON.parse(written))
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test.each([
    ['the last of two fields with the same name', '{"a":1,"a":2}', '{"a":2}'],
    [
      'names that are whole numbers first',
      '{"b":1,"2":2,"1":3,"a":4}',
      '{"1":3,"2":2,"b":1,"a":4}',
    ],
    ['characters in place of escapes', String.raw`"\/\u00e9"`, '"/é"'],
    ['no white space', '{ "a": [1, 2] }', '{"a":[1,2]}'],
  ])('%s', async (_what, written, expected) => {
    expect((await publish(written, 'variable')).stored).toBe(expected)
  })
})

describe('a lone surrogate is rejected with the name of its field', () => {
  const REJECTED = '{ __typename ... on ValidationError { issues { path code } } }'
  /** Sends variables as literal JSON. */
  const ask = async (query: string, variables: string) =>
    (await post(`{"query":${JSON.stringify(query)},"variables":${variables}}`)).answer
  const loneSurrogate = (...path: string[]) => ({
    __typename: 'ValidationError',
    issues: [{ path, code: 'lone_surrogate' }],
  })

  test.each([
    ['alone', '"a\\ud800b"', []],
    ['the second half', '"\\uDFFF"', []],
    ['deep inside', '{"a":[{"b":["","\\udbff."]}]}', ['a', '0', 'b', '1']],
    ['in a key', '{"a":{"\\ud800":1}}', ['a', '\ufffd']],
  ])('in data: %s', async (_, data, path) => {
    const before = await posthorn.database.prisma.event.count()
    const bad = '{ type: "anything", data: $data }'
    const good = '{ type: "anything", data: 1 }'
    const { data: answer } = await ask(
      `mutation ($data: JSON!) {
        publishEvent(input: ${bad}) ${REJECTED}
        publishEvents(input: { events: [${good}, ${bad}] }) ${REJECTED}
      }`,
      `{"data":${data}}`,
    )
    expect(answer).toEqual({
      publishEvent: loneSurrogate('data', ...path),
      publishEvents: loneSurrogate('events', '1', 'data', ...path),
    })
    expect(await posthorn.database.prisma.event.count()).toBe(before)
  })

  test.each([
    ['url', '"url":"https://receiver.example/\\ud800"', ['url']],
    ['description', '"description":"\\ud800"', ['description']],
    ['a subscription', '"eventSubscriptions":["\\ud800"]', ['eventSubscriptions', '0']],
    ['a header value', '"headers":[{"name":"X-A","value":"\\ud800"}]', ['headers', '0', 'value']],
  ])('in a webhook: %s', async (_, field, path) => {
    const before = await posthorn.database.prisma.webhook.count()
    const { data } = await ask(
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) ${REJECTED} }`,
      `{"input":{"url":"https://receiver.example","eventSubscriptions":["${JOINED}"],${field}}}`,
    )
    expect(data.createWebhook).toEqual(loneSurrogate(...path))
    expect(await posthorn.database.prisma.webhook.count()).toBe(before)
  })

  test('in a query', async () => {
    const { errors } = await ask(
      'query ($text: String) { webhooks(filter: { search: $text }) { totalCount } }',
      '{"text":"\\ud800"}',
    )
    expect(errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['filter', 'search'], code: 'lone_surrogate' }],
    })
  })

  test.each(['"\\ud800"', '"\ud800"', '{ a: "\\uDFFF" }'])(
    'in the document, with its position: %j',
    async (data) => {
      const query = `mutation { publishEvent(input: { type: "anything", data: ${data} }) { __typename } }`
      const { answer } = await post(JSON.stringify({ query }))
      expect(answer.data).toBeUndefined()
      expect(answer.errors[0].message).toMatch(/^Syntax Error: Invalid/)
      expect(answer.errors[0].locations).toHaveLength(1)
    },
  )
})

describe('data that cannot be stored exactly is rejected', () => {
  test.each([
    ['a whole number of 20 digits', '12345678901234567890'],
    ['one beyond the exact integers', '9007199254740993'],
    ['one deep inside', '[[1, {"a": 9007199254740993}]]'],
    ['a number out of range', '1e400'],
    ['a negative number out of range', '-1e400'],
    ['one that a double rounds to zero', '1e-400'],
  ])('%s', async (_, written) => {
    const variable = await publish(written, 'variable')
    expect(variable.status).toBe(400)
    expect(variable.answer.errors[0].message).toMatch(/[Ss]end it as a string/)
    const literal = await publish(written.replace('"a"', 'a'), 'literal')
    expect(literal.stored).toBeNull()
    expect(literal.answer.errors[0].message).toMatch(/[Ss]end it as a string/)
  })

  test.each([
    ['a body of too many parts', `[${'{},'.repeat(100_001)}1]`, '100,000 objects'],
    [
      'a variable that names a prototype',
      '{"query":"query ($__proto__: ID!) { node(id: $__proto__) { id } }","variables":{"__proto__":{"x":1}}}',
      '',
    ],
    ['a document that is no text', '{"query":{"__proto__":1}}', ''],
  ])('%s', async (_, body, message) => {
    const { status, answer } = await post(body)
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
    expect(answer.errors[0].message).toContain(message)
    expect(answer.errors[0].extensions?.code).not.toBe('INTERNAL')
  })
})
