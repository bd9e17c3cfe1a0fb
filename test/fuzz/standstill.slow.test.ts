import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { useResource } from '../support/use-resource.ts'
import { HOSTILE, type Hostile } from './hostile.ts'
import { startFuzzedApi } from './start-api.ts'

const MAX_RESPONSE_BYTES = 2_000_000
/** In hashes of 100 MB, each some 100 ms on a machine of 2020: the bound follows the machine, and its load. */
const MAX_BLOCKED_HASHES = 2.5
/** The best of these tries decides, because other processes on the machine can delay requests. */
const TRIES = 5

const api = await useResource(startFuzzedApi(SCOPES))

/** Returns the size of the response in bytes. */
async function send({ path, body }: Hostile): Promise<number> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${api.token}`,
    },
    body,
    signal: AbortSignal.timeout(30_000),
  })
  expect(response.status).toBeLessThan(500)
  return (await response.arrayBuffer()).byteLength
}

const HASHED = Buffer.alloc(100_000_000)

/** How long this machine takes now for a fixed work. */
function hashMs(): number {
  const startedAt = performance.now()
  createHash('sha1').update(HASHED).digest()
  return performance.now() - startedAt
}

/** Sends the requests in parallel. Returns the size of the largest response, and the longest time of `/healthz`. */
async function sendInParallel(hostile: readonly Hostile[]) {
  let ended = false
  let longestMs = 0
  const poll = async () => {
    while (!ended) {
      const startedAt = performance.now()
      await (await fetch(`${api.url}/healthz`)).arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - startedAt)
    }
  }
  const polling = poll()
  const sizes = await Promise.all(hostile.map(send)).finally(() => {
    ended = true
  })
  await polling
  return { bytes: Math.max(...sizes), longestMs }
}

async function expectNoStandstill(hostile: readonly Hostile[], name: string): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && best >= MAX_BLOCKED_HASHES; i++) {
    const before = hashMs()
    const { bytes, longestMs } = await sendInParallel(hostile)
    expect(bytes).toBeLessThan(MAX_RESPONSE_BYTES)
    best = Math.min(best, longestMs / Math.max(before, hashMs()))
  }
  expect(best, name).toBeLessThan(MAX_BLOCKED_HASHES)
}

test.each(Object.entries(HOSTILE))(
  '%s does not delay other requests',
  async (name, hostile) => await expectNoStandstill([hostile], name),
)

test.each(Object.entries(HOSTILE).filter(([, hostile]) => hostile.reads))(
  '%s, twenty in parallel, does not delay other requests',
  async (name, hostile) => await expectNoStandstill(Array(20).fill(hostile), `20 x ${name}`),
)
