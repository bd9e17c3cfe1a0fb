import { expect, test } from 'vitest'
import { useApi } from './support/api.ts'

const api = await useApi()
const tenant = await api.tenant()
await api.database.prisma.eventType.create({
  data: { name: 'faithful.anything', description: 'Any JSON.' },
})

/** Sends a body to the letter. */
const post = (body: string) => api.send(tenant.token, body)

const ask = (query: string, variables: string) =>
  post(`{"query":${JSON.stringify(query)},"variables":${variables}}`)

const publishing = (value: string, selected = '{ __typename }') =>
  `publishEvent(input: { type: "faithful.anything", data: ${value} }) ${selected}`

/** Publishes literal JSON, in a variable or in the document. Returns the `data` that is delivered, or null. */
async function publish(data: string, place: 'variable' | 'literal') {
  const selected =
    '{ ... on PublishEventSuccess { publishedEvent { id } } ... on UserError { message } }'
  const answer =
    place === 'variable'
      ? await ask(
          `mutation ($data: JSON!) { ${publishing('$data', selected)} }`,
          `{"data":${data}}`,
        )
      : await ask(`mutation { ${publishing(data, selected)} }`, '{}')
  if (!answer.data?.publishEvent?.publishedEvent) return { stored: null, answer }
  const { rows } = await api.database.pool.query<{ data: string }>(
    `select data from posthorn.events where organization_id = $1 order by id desc limit 1`,
    [tenant.organizationId],
  )
  return { stored: rows[0]?.data ?? null, answer }
}

/* data is stored as JavaScript prints it, as docs/concepts/deliveries.md says. */

test.each([
  ['18014398509481984', '18014398509481984'],
  ['-0', '0'],
  ['1e21', '1e+21'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['10.50', '10.5'],
  ['3.141592653589793238', '3.141592653589793'],
  ['"12345678901234567890"', '"12345678901234567890"'],
])('the number %s is stored as %s', async (written, expected) => {
  for (const place of ['variable', 'literal'] as const) {
    expect((await publish(written, place)).stored, place).toBe(expected)
  }
})

test.each([
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'],
  ['a NUL character', '"a\\u0000b"'],
  ['a character pair', '"a\\ud83d\\ude00b"'],
  ['every kind of value', '[null,true,false,"",[],{},{"":0},"\u2028\ufeff"]'],
  ['lists in lists, 100 deep', '['.repeat(100) + ']'.repeat(100)],
  ['a long text', `"${'x'.repeat(200_000)}"`],
])('%s is stored as it is', async (_, written) => {
  const { stored } = await publish(written, 'variable')
  expect(JSON.parse(stored as string)).toEqual(JSON.parse(written))
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
})

test.each([
  ['alone', '"a\\ud800b"'],
  ['the second half', '"\\uDFFF"'],
  ['deep inside', '{"a":[{"b":["","\\udbff."]}]}'],
  ['in a key', '{"a":{"\\ud800":1}}'],
])('a lone surrogate in data is rejected: %s', async (_, data) => {
  const answer = await ask(`mutation ($data: JSON!) { ${publishing('$data')} }`, `{"data":${data}}`)
  expect(answer.errors?.[0]).toMatchObject(LONE_SURROGATE)
})

const LONE_SURROGATE = {
  message: expect.stringMatching(/^The body has a lone surrogate/),
  extensions: { code: 'BAD_REQUEST' },
}

test('a lone surrogate in a query or in a document is rejected', async () => {
  const search = 'query ($text: String) { webhooks(filter: { search: $text }) { totalCount } }'
  const { errors } = await ask(search, '{"text":"\\ud800"}')
  expect(errors?.[0]).toMatchObject(LONE_SURROGATE)
  for (const data of ['"\\ud800"', '{ a: "\\uDFFF" }']) {
    const answer = await post(JSON.stringify({ query: `mutation { ${publishing(data)} }` }))
    expect(answer.errors?.[0].message).toMatch(/^Syntax Error: Invalid/)
    expect(answer.errors?.[0].locations).toHaveLength(1)
  }
})

test.each([
  ['a whole number of 20 digits', '12345678901234567890'],
  ['one beyond the exact integers, deep inside', '[[1, {"a": 9007199254740993}]]'],
  ['a number out of range', '-1e400'],
  ['one that a double rounds to zero', '1e-400'],
])('data that cannot be stored exactly is rejected: %s', async (_, written) => {
  const variable = await publish(written, 'variable')
  expect(variable.answer.status).toBe(400)
  expect(variable.answer.errors?.[0].message).toMatch(/[Ss]end it as a string/)
  const literal = await publish(written.replace('"a"', 'a'), 'literal')
  expect(literal.stored).toBeNull()
  expect(literal.answer.errors?.[0].message).toMatch(/[Ss]end it as a string/)
})

test('a body with too many parts is an error of the caller', async () => {
  const { status, errors } = await post(`[${'{},'.repeat(100_001)}1]`)
  expect(status).toBeLessThan(500)
  expect(errors?.[0].message).toContain('100,000 objects')
})
