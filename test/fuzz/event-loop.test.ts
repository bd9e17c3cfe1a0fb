import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { SCOPES } from '../../src/access/scope.ts'
import type { Database } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createApiKey } from '../support/api-keys.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { BEHIND_PROXY, fromNewClient, HOSTILE, type Hostile } from './hostile.ts'
import { introspection } from './introspection.ts'

/** The longest time that one request may block the event loop. */
const MAX_BLOCKED_MS = 50
/** The best of these tries decides, because the first ones run code that is not optimized yet. */
const TRIES = 10
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

let database: Database
let child: ChildProcess
let url: string
let token: string

beforeAll(async () => {
  console.info(`FUZZ_SEED=${SEED}`)
  database = await createTestDatabase()
  const { organizationId } = await createTenant(database.prisma)
  const key = { organizationId, scopes: SCOPES, requestsPerSecond: 1_000_000 }
  token = (await createApiKey(database.prisma, key)).token
  await addTypes()
  child = fork(new URL('loop-main.ts', import.meta.url), {
    execArgv: ['--max-semi-space-size=4'],
    env: { PATH: process.env['PATH'], ...testEnvironment(database.url), ...BEHIND_PROXY },
  })
  const [{ url: listening }] = (await once(child, 'message')) as [{ url: string }]
  url = listening
})
afterAll(async () => {
  child?.disconnect()
  await once(child, 'exit')
  await database[Symbol.asyncDispose]()
})

async function addTypes() {
  const schemas = {
    'pattern.nested': { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } },
    'pattern.simple': { type: 'array', items: { type: 'string', pattern: '^a*a*b$' } },
    'items.unique': { type: 'array', uniqueItems: true },
    'choices.many': {
      items: { anyOf: Array.from({ length: 400 }, (_, i) => ({ const: `choice ${i}` })) },
    },
    'reference.multiplied': {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: Array(2).fill({ items: { $ref: '#/$defs/a' } }) } },
    },
  }
  for (const [name, schema] of Object.entries(schemas)) {
    await createEventType(database.prisma, { name, description: 'For the test.', schema }, SYSTEM)
  }
  // A large catalogue, which makes the search for suggestions slow.
  await database.pool.query(
    `insert into posthorn.event_types (name, description)
     select 'a_type_with_a_long_name_of_number_' || i, 'For the test.' from generate_series(1, 150) as i`,
  )
}

interface Delays {
  readonly longestMs: number
  readonly longestCollectionMs: number
  readonly longestWorkMs: number
}

/** Since the last call. */
async function readDelays(): Promise<Delays> {
  const answer = once(child, 'message')
  child.send('read')
  return (await answer)[0]
}

async function measureBlockedMs({ path, body, keyless }: Hostile): Promise<number> {
  await readDelays()
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(keyless ? fromNewClient() : { authorization: `Bearer ${token}` }),
    },
    body,
  })
  await response.arrayBuffer()
  expect(response.status).toBeLessThan(500)
  const { longestMs, longestCollectionMs, longestWorkMs } = await readDelays()
  // On a busy machine the loop is also delayed because the thread waits for a processor.
  return Math.min(longestMs - longestCollectionMs, longestWorkMs)
}

async function expectShort(name: string, hostile: Hostile): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES && best > MAX_BLOCKED_MS; i++) {
    best = Math.min(best, await measureBlockedMs(hostile))
  }
  if (process.env['LOOP_LOG']) console.info(`${best.toFixed(1)} ms: ${name}`)
  expect(best).toBeLessThan(MAX_BLOCKED_MS)
}

test.each(Object.entries(HOSTILE))(
  '%s blocks the event loop for less than 50 ms',
  async (name, hostile) => await expectShort(name, hostile),
)

test('introspection of any shape blocks the event loop for less than 50 ms', async () => {
  for (const query of fc.sample(introspection, { numRuns: 60, seed: SEED })) {
    await expectShort(query, { path: '/graphql', body: JSON.stringify({ query }), keyless: true })
  }
})
