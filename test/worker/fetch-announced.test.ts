import { EventEmitter } from 'node:events'
import type { WorkerEvents } from 'graphile-worker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchWhatWasAnnounced, REST_MS } from '../../src/worker/fetch-announced.ts'
import { createWebhook, publish } from '../flow/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const PAIRS = 40
/** Without an announcement jobs are looked for every 100 ms. Half of them would wait for longer than this. */
const PROMPTLY_MS = 50

test('an event that is published a moment after another does not wait for the next poll', async () => {
  await createWebhook(posthorn, receiver.url)
  const publishOne = (number: number) =>
    publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 1, number)
  let late = 0
  for (let pair = 0; pair < PAIRS; pair++) {
    await publishOne(2 * pair)
    // The first is being fetched just now, and the worker keeps a distance to its next fetch.
    await publishOne(2 * pair + 1)
    const publishedAt = performance.now()
    await receiver.arrival(2 * pair + 2)
    if (performance.now() - publishedAt > PROMPTLY_MS) late += 1
  }
  // The machine may have stood still a few times.
  expect(late).toBeLessThan(PAIRS / 8)
})

test('after a rest no distance is kept to the next fetch, and soon after one it is', () => {
  const events: WorkerEvents = new EventEmitter()
  let clock = 0
  fetchWhatWasAnnounced(events, () => clock)
  const keepsDistance = () => {
    const localQueue = { refetchDelayAbortThreshold: 200 }
    events.emit('localQueue:refetchDelay:start', { localQueue } as never)
    return localQueue.refetchDelayAbortThreshold === 200
  }
  expect(keepsDistance()).toBe(false)
  clock += REST_MS
  expect(keepsDistance()).toBe(true)
  clock += REST_MS + 1
  expect(keepsDistance()).toBe(false)
})
