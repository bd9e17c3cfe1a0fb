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

test('every live event is encoded in full, in payloads that Postgres accepts', () => {
  const liveEvents = fc.array(fc.oneof(canceled, attempt, health), { maxLength: 60 })
  fc.assert(
    fc.property(liveEvents, (sent) => {
      const payloads = encodePayloads(sent)
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
      const received = payloads.flatMap((payload) => {
        const message = decodePayload(payload)
        return message.kind === 'liveEvents' ? message.liveEvents : []
      })
      expect(sorted(received)).toEqual(sorted(sent))
    }),
  )
})

test('any number of attempts takes one notification', () => {
  const attempts = manyAttempts(500)
  const payloads = encodePayloads(attempts)
  const ids = attempts.map(({ attemptId }) => attemptId).sort()
  expect(payloads.map(decodePayload)).toEqual([
    { kind: 'range', firstAttemptId: ids[0], lastAttemptId: ids.at(-1) },
  ])
})

test('one notification lists 160 attempts of a webhook', () => {
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
  return liveEvents.map((liveEvent) => JSON.stringify(Object.entries(liveEvent).sort())).sort()
}
