import { expect, test } from 'vitest'
import { mintId, parseId } from '../../src/db/ids.ts'
import type { Attempt } from '../../src/live/live-event.ts'
import { Subscriber } from '../../src/live/subscriber.ts'

const attempt: Attempt = {
  kind: 'attempt',
  organizationId: parseId('organization', mintId('organization')) as string,
  webhookId: parseId('webhook', mintId('webhook')) as string,
  deliveryId: parseId('delivery', mintId('delivery')) as string,
  attemptId: parseId('attempt', mintId('attempt')) as string,
  succeeded: true,
  finished: true,
}

/** A stream of finished deliveries that missed the attempt in one state, and gets it in another. */
function resume(missed: Attempt, live: Attempt) {
  const subscriber = new Subscriber({
    organizationId: attempt.organizationId,
    apiKeyId: 'key',
    filter: (liveEvent) => liveEvent.kind === 'attempt' && liveEvent.finished,
    onEnd: () => {},
    toError: (reason) => new Error(reason),
  })
  subscriber.startWith([[missed]][Symbol.iterator]() as never, '')
  subscriber.push([
    live,
    { ...attempt, attemptId: parseId('attempt', mintId('attempt')) as string },
  ])
  return async () => (await subscriber.next()).value?.liveEvent
}

test('an attempt that a stream missed and gets as well arrives once', async () => {
  const next = resume(attempt, attempt)
  expect(await next()).toEqual(attempt)
  expect(await next()).not.toEqual(attempt)
})

test('a delivery that finished is not missing because it was redelivered before the missed attempts were read', async () => {
  const next = resume({ ...attempt, finished: false }, attempt)
  expect(await next()).toEqual(attempt)
})
