import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, cacheExchange, fetchExchange, gql, type RequestPolicy } from 'urql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answerExchange, preloadExchange } from '../../../src/console/api/preload.ts'

const QUERY = gql('{ viewer { name } }')

let requests = 0
let answer: object
const server = createServer((_request, response) => {
  requests += 1
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
})
let client: Client

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  client = new Client({
    url: `http://127.0.0.1:${port}/graphql`,
    preferGetMethod: false,
    exchanges: [preloadExchange, cacheExchange, answerExchange, fetchExchange],
  })
})
afterAll(() => {
  server.close()
})
beforeEach(() => {
  requests = 0
  answer = { data: { viewer: { __typename: 'Viewer', name: 'Ada' } } }
})

async function ask(number: number, requestPolicy: RequestPolicy): Promise<unknown> {
  const result = client.query(QUERY, { number }, { requestPolicy })
  return (await result.toPromise()).data
}

test('a page that begins right after the answer to another page shares the answer', async () => {
  await using _other = await shown(1)
  expect(await ask(1, 'cache-and-network')).toMatchObject({ viewer: { name: 'Ada' } })
  expect(requests).toBe(1)
})

test('a reload asks again, right after an answer too', async () => {
  await using _other = await shown(2)
  await ask(2, 'network-only')
  expect(requests).toBe(2)
})

test('an older answer is shown and updated', async () => {
  await using _other = await shown(3)
  await expect
    .poll(async () => {
      await ask(3, 'cache-and-network')
      return requests
    })
    .toBeGreaterThan(1)
})

test('an error is not shared', async () => {
  answer = { errors: [{ message: 'failed' }] }
  await ask(4, 'cache-and-network')
  await ask(4, 'cache-and-network')
  expect(requests).toBe(2)
})

/** A page that shows the query until it is disposed of. */
async function shown(number: number): Promise<AsyncDisposable> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { unsubscribe } = client
    .query(QUERY, { number }, { requestPolicy: 'cache-and-network' })
    .subscribe(() => resolve())
  await promise
  return { [Symbol.asyncDispose]: async () => unsubscribe() }
}
