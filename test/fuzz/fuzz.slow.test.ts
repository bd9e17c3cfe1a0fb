import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_SCOPES } from '../support/factories.ts'
import { useResource } from '../support/use-resource.ts'
import { graphqlInputs, type Input, rawInputs, restInputs } from './inputs.ts'
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

/** Returns the status of the response, or 0 if the server closed the connection without one. */
async function sendRaw(bytes: Uint8Array): Promise<number> {
  const { hostname, port } = new URL(api.url)
  return await new Promise((resolve) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.on('data', (chunk) => {
      response += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)))
    socket.setTimeout(10_000, () => socket.destroy())
  })
}

async function fuzz<T>(
  inputs: fc.Arbitrary<T>,
  count: number,
  send: (input: T) => Promise<number>,
): Promise<Map<number, number>> {
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
  const statuses = await fuzz(restInputs, 5_000, send)
  // The inputs are rejected for many reasons, so they reach deep enough.
  for (const status of [400, 401, 404, 405, 415, 422]) {
    expect(statuses.get(status), `${status}`).toBeGreaterThan(10)
  }
  expect(statuses.get(429)).toBeUndefined()
})

test('no document and no variable causes a GraphQL error 5xx', async () => {
  const statuses = await fuzz(graphqlInputs, 4_000, send)
  for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(50)
})

test('no input that is not HTTP causes an error 5xx', async () => {
  const statuses = await fuzz(rawInputs, 2_000, sendRaw)
  expect(statuses.get(400)).toBeGreaterThan(100)
})
