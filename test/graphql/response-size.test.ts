import { expect, test } from 'vitest'
import { MAX_RESPONSE_BYTES } from '../../src/graphql/limits/response-limits.ts'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'

const api = await useApi()
const PAYLOAD_BYTES = 250_000

const tenant = await api.tenant()

const event = { type: JOINED, data: { text: 'x'.repeat(PAYLOAD_BYTES) } }
for (let i = 0; i < 5; i++) {
  await api.deps.publishEvents(tenant.organizationId, Array(10).fill(event))
}

const PAGE = 'query ($first: Int!) { events(first: $first) { nodes { id data } } }'

test('a response of more than 10 MB is replaced by an error with the remedy', async () => {
  const { data, errors } = await tenant.call(PAGE, { first: 50 })
  expect(data).toBeUndefined()
  expect(errors).toEqual([
    {
      message:
        'The response is larger than 10,000,000 bytes. Request smaller pages (`first`) or fewer large fields.',
      extensions: {
        code: 'LIMIT_EXCEEDED',
        limit: 'bytes in the response',
        max: MAX_RESPONSE_BYTES,
      },
    },
  ])
})
