import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../src/graphql/limits/answer-size.ts'
import { JOINED } from '../support/factories.ts'
import { type Api, openApi } from './support/api.ts'

let api: Api
let token: string

const PAYLOAD_BYTES = 250_000

beforeAll(async () => {
  api = await openApi()
  const tenant = await api.tenant()
  token = tenant.token
  const event = { type: JOINED, data: { text: 'x'.repeat(PAYLOAD_BYTES) } }
  for (let i = 0; i < 5; i++) {
    await api.deps.publishEvents(tenant.organizationId, Array(10).fill(event))
  }
})
afterAll(() => api[Symbol.asyncDispose]())

const PAGE = 'query ($first: Int!) { events(first: $first) { nodes { id data } } }'

test('an answer of more than 10 MB is refused whole, with what to do', async () => {
  const { data, errors } = await api.call(token, PAGE, { first: 50 })
  expect(data).toBeUndefined()
  expect(errors).toEqual([
    {
      message:
        'The answer has more than 10,000,000 bytes; at most 10,000,000 are allowed. Ask for smaller pages (`first`), or for fewer large fields.',
      extensions: { code: 'LIMIT_EXCEEDED', limit: 'bytes of the answer', most: MAX_ANSWER_BYTES },
    },
  ])
})

test('an answer of nearly 10 MB is given', async () => {
  const { data, errors } = await api.call(token, PAGE, { first: 38 })
  expect(errors).toBeUndefined()
  expect(data.events.nodes).toHaveLength(38)
})

test('what has to be read for more payloads than fit into a page is not read', async () => {
  const { errors } = await api.call(token, PAGE.replace('data', 'data body'), { first: 100 })
  expect(errors).toMatchObject([{ extensions: { limit: 'fields in its largest answer' } }])
  expect(api.statements.list).toEqual(['authenticate'])
})
