import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sendRaw } from '../server/rest/support/send-raw.ts'
import { ALL_SCOPES } from '../support/factories.ts'
import { useResource } from '../support/use-resource.ts'
import { graphqlInputs, type Input, restInputs } from './inputs.ts'
import { fromNewClient, SEED, startFuzzedApi } from './start-api.ts'

const PARALLEL_REQUESTS = 16

const api = await useResource(startFuzzedApi(ALL_SCOPES))

async function send({ method, path, headers, body }: Input): Promise<number> {
  const response = await fetch(api.url + path, {
    method,
    headers: { authorization: `Bearer ${api.token}`, ...fromNewClient(), ...headers },
    ...(method !== 'GET' && method !== 'HEAD' && body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  await response.arrayBuffer()
  return response.status
}

async function fuzz(inputs: fc.Arbitrary<Input>, count: number): Promise<Map<number, number>> {
  const todo = fc.sample(inputs, { numRuns: count, seed: SEED })
  expect(todo).toHaveLength(count)
  const statuses = new Map<number, number>()
  const failures: string[] = []
  const work = async () => {
    for (let input = todo.pop(); input !== undefined; input = todo.pop()) {
      let status = await send(input)
      // On a busy machine, Postgres may be late.
      if (status === 503) status = await send(input)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) failures.push(`${status}: ${fc.stringify(input).slice(0, 2_000)}`)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, work))
  expect(failures).toEqual([])
  expect(api.posthorn.child.exitCode).toBeNull()
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200)
  expect(api.posthorn.stdout + api.posthorn.stderr).not.toMatch(/"level":(50|60)/)
  return statuses
}

test('no body, header, API key, id or path causes a REST error 5xx', async () => {
  const statuses = await fuzz(restInputs, 5_000)
  // The inputs are rejected for many reasons, so they reach deep enough.
  for (const status of [400, 401, 404, 405, 415, 422]) {
    expect(statuses.get(status), `${status}`).toBeGreaterThan(10)
  }
  expect(statuses.get(429)).toBeUndefined()
})

test('no document and no variable causes a GraphQL error 5xx', async () => {
  const statuses = await fuzz(graphqlInputs, 4_000)
  for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(50)
})

const ODD_REQUESTS = [
  ...['GET http://x/', 'GET //', 'OPTIONS *', 'GET *', 'GET x:443', 'GET /%00', 'GET /\ud800'],
  ...['CONNECT x:443', 'QUERY /graphql', 'TRACE /', 'PRI *', 'G\tT /', '\0 /', 'GET'],
]

// test/server/rest/http-limits.test.ts has the answers to what is not HTTP.
test.each([
  ...ODD_REQUESTS,
  'GET / HTTP/1.1\r\nUpgrade: h2c\r\nX:',
  'GET / HTTP/1.1\r\nExpect: a\r\nX:',
])('the request %j causes no error 5xx', async (head) => {
  const text = `${head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  expect((await sendRaw(api.url, text)) >= 500).toBe(false)
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200)
})
