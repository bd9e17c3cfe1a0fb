import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { sign, verify } from '../../packages/receiver/src/index.ts'
import {
  formatSecret,
  generateSigningKey,
  parseSecret,
  signDelivery,
} from '../../packages/receiver/src/sign.ts'
import { PUBLISHED, sentAt } from './signed-delivery.ts'

const { secret, id, timestamp, body, signature } = PUBLISHED
const bytes = () => fc.uint8Array({ maxLength: 300 })
const keys = () => fc.uint8Array({ minLength: 1, maxLength: 80 })
const ids = () => fc.stringMatching(/^msg_[0-9a-z]{1,26}$/)
const times = () => fc.integer({ min: 0, max: 253_402_300_799 }).map(String)

const deliver = (key: Uint8Array, ...signed: [id: string, time: string, content: Uint8Array]) =>
  signDelivery(createSecretKey(key), ...signed)

function verifyParts(
  key: Uint8Array,
  parts: { id: string; timestamp: string; body: Uint8Array; signature: string },
) {
  const headers = {
    'wh-id': parts.id,
    'wh-timestamp': parts.timestamp,
    'wh-signature': parts.signature,
  }
  const now = new Date(Number(parts.timestamp) * 1000)
  // A timestamp that is no longer a number is compared with the real clock, and is rejected as well.
  const options = Number.isNaN(now.getTime()) ? {} : { now }
  return verify(parts.body, headers, formatSecret(key), options)
}

test('the published vector is signed, with the timestamp as text and as a Date', async () => {
  expect(deliver(parseSecret(secret), id, timestamp, Buffer.from(body))).toBe(signature)
  expect(await sign(secret, id, timestamp, body)).toBe(signature)
  expect(await sign(secret, id, sentAt(), Buffer.from(body))).toBe(signature)
  expect(await sign(secret, id, sentAt(0.999), body)).toBe(signature)
  expect(await sign(secret, id, sentAt(1), body)).not.toBe(signature)
  await expect(sign(secret, id, new Date(Number.NaN), body)).rejects.toThrow('must be a valid Date')
})

describe('sender and receiver agree', () => {
  test('the synchronous and the Web Crypto signatures are equal', async () => {
    await fc.assert(
      fc.asyncProperty(keys(), fc.string(), fc.string(), bytes(), async (key, ...signed) => {
        expect(await sign(formatSecret(key), ...signed)).toBe(deliver(key, ...signed))
      }),
    )
  })

  test('any signed bytes verify, valid UTF-8 or not', async () => {
    await fc.assert(
      fc.asyncProperty(keys(), ids(), times(), bytes(), async (key, anyId, anyTime, content) => {
        const parts = { id: anyId, timestamp: anyTime, body: content }
        const signed = deliver(key, anyId, anyTime, content)
        expect(await verifyParts(key, { ...parts, signature: signed })).toEqual({
          ok: true,
          id: anyId,
          timestamp: new Date(Number(anyTime) * 1000),
          secretIndex: 0,
          isTest: false,
        })
      }),
    )
  })

  test('one flipped bit in the body, the id, the timestamp or the signature is rejected', async () => {
    const part = fc.constantFrom('id', 'timestamp', 'body', 'signature')
    await fc.assert(
      fc.asyncProperty(
        ...([keys(), ids(), times(), bytes()] as const),
        ...([part, fc.nat(), fc.integer({ min: 0, max: 7 })] as const),
        async (key, anyId, anyTime, content, name, position, bit) => {
          fc.pre(name !== 'body' || content.length > 0)
          const signed = deliver(key, anyId, anyTime, content)
          const parts = { id: anyId, timestamp: anyTime, body: content, signature: signed }
          const flipped =
            name === 'body'
              ? { ...parts, body: flip(content, position, bit) }
              : { ...parts, [name]: flipText(parts[name as 'id'], position, bit) }
          expect(await verifyParts(key, parts)).toMatchObject({ ok: true })
          expect(await verifyParts(key, flipped)).toMatchObject({ ok: false })
        },
      ),
      { numRuns: 500 },
    )
  })
})

test('a secret is whsec_ and the base64 of 32 random bytes, and parsing it returns the key', () => {
  expect(formatSecret(parseSecret(secret))).toBe(secret)
  expect(generateSigningKey()).not.toEqual(generateSigningKey())
  expect(formatSecret(generateSigningKey())).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  fc.assert(
    fc.property(keys(), (key) => {
      expect(parseSecret(formatSecret(key))).toEqual(key)
    }),
  )
})

describe('compatibility: the standardwebhooks library', () => {
  // It supports neither raw bytes nor several secrets, so it only verifies text signed with one secret.
  test('accepts signatures of the sender', async () => {
    const now = String(Math.floor(Date.now() / 1000))
    await fc.assert(
      fc.property(keys(), ids(), fc.json(), (key, anyId, json) => {
        const headers = {
          'webhook-id': anyId,
          'webhook-timestamp': now,
          'webhook-signature': deliver(key, anyId, now, Buffer.from(json)),
        }
        expect(new Webhook(formatSecret(key)).verify(json, headers)).toEqual(JSON.parse(json))
      }),
      { numRuns: 50 },
    )
  })

  test('makes signatures that the receiver accepts', async () => {
    await fc.assert(
      fc.asyncProperty(keys(), ids(), fc.json(), async (key, anyId, json) => {
        const sent = new Date()
        const headers = {
          'webhook-id': anyId,
          'webhook-timestamp': String(Math.floor(sent.getTime() / 1000)),
          'webhook-signature': new Webhook(formatSecret(key)).sign(anyId, sent, json),
        }
        const options = { headerPrefix: 'webhook-' }
        const result = await verify(json, headers, formatSecret(key), options)
        expect(result).toMatchObject({ ok: true, id: anyId })
      }),
      { numRuns: 50 },
    )
  })
})

function flip(content: Uint8Array, position: number, bit: number): Uint8Array {
  const index = position % content.length
  return content.map((byte, i) => (i === index ? byte ^ (1 << bit) : byte))
}

function flipText(text: string, position: number, bit: number): string {
  return Buffer.from(flip(Buffer.from(text), position, bit)).toString('latin1')
}
