import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LiveEvent } from '../../src/live/live-event.ts'
import { decodePayload, encodePayloads } from '../../src/live/payload.ts'

const uuid = fc.uuid()
const webhook = { organizationId: uuid, webhookId: uuid, deliveryId: uuid }
const canceled = fc.record({ kind: fc.constant('canceled' as const), ...webhook })
const attempt = fc.record({
  kind: fc.constant('attempt' as const),
  ...webhook,
  attemptId: uuid,
  succeeded: fc.boolean(),
  finished: fc.boolean(),
})
const health = fc.record({
  kind: fc.constant('health' as const),
  organizationId: uuid,
  webhookId: uuid,
  health: fc.constantFrom('healthy' as const, 'failing' as const, 'disabled' as const),
})

test('every live event is sent in full, in payloads that Postgres takes', () => {
  const liveEvents = fc.array(fc.oneof(canceled, attempt, health), { maxLength: 60 })
  fc.assert(
    fc.property(liveEvents, (told) => {
      const payloads = encodePayloads(told)
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
      const heard = payloads.flatMap((payload) => {
        const message = decodePayload(payload)
        return message.kind === 'liveEvents' ? message.liveEvents : []
      })
      expect(sorted(heard)).toEqual(sorted(told))
    }),
  )
})

test('attempts take one notification, however many there are', () => {
  const attempts = manyAttempts(500)
  const payloads = encodePayloads(attempts)
  const ids = attempts.map((one) => one.attemptId).sort()
  expect(payloads.map(decodePayload)).toEqual([
    { kind: 'many', firstAttemptId: ids[0], lastAttemptId: ids.at(-1) },
  ])
})

test('160 attempts of a webhook are named in one notification', () => {
  const payloads = encodePayloads(manyAttempts(160))
  expect(payloads.map((payload) => decodePayload(payload).kind)).toEqual(['liveEvents'])
})

function manyAttempts(count: number) {
  const [organizationId, webhookId] = [randomUUID(), randomUUID()]
  return Array.from({ length: count }, () => ({
    kind: 'attempt' as const,
    organizationId,
    webhookId,
    deliveryId: randomUUID(),
    attemptId: randomUUID(),
    succeeded: true,
    finished: true,
  }))
}

function sorted(liveEvents: readonly LiveEvent[]): string[] {
  const inOrder = (one: LiveEvent) => JSON.stringify(Object.entries(one).sort())
  return liveEvents.map(inOrder).sort()
}
