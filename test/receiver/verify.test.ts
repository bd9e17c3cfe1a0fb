import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  sign,
  type VerifiedDelivery,
  type VerifyOptions,
  verify,
  type WebhookEvent,
} from '../../packages/receiver/src/index.ts'
import {
  headersSignedAt,
  OTHER_SECRET,
  PUBLISHED,
  publishedHeaders,
  sentAt,
} from './signed-delivery.ts'

const { secret, body } = PUBLISHED
const accepted = { ok: true, id: PUBLISHED.id, timestamp: sentAt(), secretIndex: 0, isTest: false }

function verifyPublished(
  overrides: Record<string, string | undefined> = {},
  options: VerifyOptions = { now: sentAt() },
) {
  return verify(body, publishedHeaders(overrides), secret, options)
}

function verifySignedAt(timestamp: string, headers: Record<string, string>, now: Date) {
  return verify(body, { ...headers, 'wh-timestamp': timestamp }, secret, { now })
}

describe('contract 5.2', () => {
  describe('step 1: a delivery that lacks one of the three headers is rejected', () => {
    test.each([
      ['true', true],
      ['false', false],
      ['', false],
    ])('wh-test is no part of it: %j', async (value, isTest) => {
      expect(await verifyPublished({ 'wh-test': value })).toEqual({ ...accepted, isTest })
    })

    test.each(['wh-id', 'wh-timestamp', 'wh-signature'])('%s is missing or empty', async (name) => {
      const message = `Missing from the request: ${name}.`
      for (const value of [undefined, '']) {
        const rejected = { ok: false, reason: 'missing-header', message }
        expect(await verifyPublished({ [name]: value })).toEqual(rejected)
      }
    })
  })

  describe('step 2: a delivery more than 300 seconds from the clock is rejected', () => {
    test.each([
      ...[300, 300.999, -300].map((offset) => ({ offset, outcome: { ok: true } })),
      ...[301, 86_400].map((offset) => ({ offset, outcome: { reason: 'timestamp-too-old' } })),
      ...[-301, -86_400].map((offset) => ({ offset, outcome: { reason: 'timestamp-too-new' } })),
    ])('the clock is $offset s past the timestamp', async ({ offset, outcome }) => {
      expect(await verifyPublished({}, { now: sentAt(offset) })).toMatchObject(outcome)
    })

    test('without `now` the clock is the system clock', async () => {
      const current = String(Math.floor(Date.now() / 1000))
      expect(await verify(body, await headersSignedAt(current), secret)).toMatchObject({ ok: true })
      expect(await verify(body, publishedHeaders(), secret)).toMatchObject({
        reason: 'timestamp-too-old',
      })
    })

    test('`now` may be a function', async () => {
      expect(await verifyPublished({}, { now: () => sentAt(300) })).toMatchObject({ ok: true })
      expect(await verifyPublished({}, { now: () => sentAt(301) })).toMatchObject({ ok: false })
    })

    test.each([
      ...['1614265330abc', ' 1614265330', '1614265330 ', '1614265330\n', '1614265330.5', '1.0'],
      ...['+1614265330', '-1614265330', '0x6037d832', '1_614_265_330', '١٦١٤٢٦٥٣٣٠', '1e9'],
      ...['NaN', 'Infinity', '2021-02-25T15:02:10Z'],
    ])('%j is not an integer: rejected although it is signed', async (timestamp) => {
      const headers = await headersSignedAt(timestamp)
      const result = await verifySignedAt(timestamp, headers, sentAt())
      expect(result).toMatchObject({ ok: false, reason: 'invalid-timestamp' })
    })

    test('an integer beyond any date is rejected as too new', async () => {
      const timestamp = '9'.repeat(400)
      const result = await verifySignedAt(timestamp, await headersSignedAt(timestamp), sentAt())
      expect(result).toMatchObject({ reason: 'timestamp-too-new' })
    })
  })

  describe('step 3: the signed content is <wh-id>.<wh-timestamp>.<raw body>', () => {
    test('the timestamp is signed as the raw header string', async () => {
      const headers = await headersSignedAt('01614265330')
      expect(await verifySignedAt('01614265330', headers, sentAt())).toMatchObject({ ok: true })
      expect(await verifySignedAt('1614265330', headers, sentAt())).toMatchObject({
        reason: 'no-matching-signature',
      })
    })

    test('the body is signed as raw bytes: the same JSON written differently is rejected', async () => {
      const rewritten = JSON.stringify(JSON.parse(body))
      expect(await verify(rewritten, publishedHeaders(), secret, { now: sentAt() })).toMatchObject({
        reason: 'no-matching-signature',
      })
    })

    const BYTES = Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x00, 0x7d)

    test.each<[string, Uint8Array | string, string]>([
      ['bytes that are not valid UTF-8', BYTES, new TextDecoder().decode(BYTES)],
      ['an empty body', '', ' '],
    ])('%s can be signed, and another body is rejected', async (_, signed, other) => {
      const signature = await sign(secret, PUBLISHED.id, PUBLISHED.timestamp, signed)
      const headers = publishedHeaders({ 'wh-signature': signature })
      expect(await verify(signed, headers, secret, { now: sentAt() })).toEqual(accepted)
      expect(await verify(other, headers, secret, { now: sentAt() })).toMatchObject({ ok: false })
    })
  })

  describe('step 5: the signature is the base64 of HMAC-SHA256', () => {
    const hmac = PUBLISHED.signature.slice(3)

    test.each([
      ['hex', Buffer.from(hmac, 'base64').toString('hex')],
      ['base64url', Buffer.from(hmac, 'base64').toString('base64url')],
      ['base64 without padding', hmac.slice(0, -1)],
      ['base64 with other unused bits', hmac.replace('1OE=', '1OF=')],
      ['a prefix of it', hmac.slice(0, 20)],
      ['nothing', ''],
    ])('%s is rejected', async (_, other) => {
      expect(await verifyPublished({ 'wh-signature': `v1,${other}` })).toMatchObject({
        reason: 'no-matching-signature',
      })
    })
  })

  describe('step 6: only the v1 pairs of the space-separated list are compared', () => {
    const good = PUBLISHED.signature
    const hmac = good.slice(3)
    const bad = `v1,${btoa('x'.repeat(32))}`

    test.each([
      ['a single pair', good],
      ['first of two', `${good} ${bad}`],
      ['last of three', `${bad} v1a,${hmac} ${good}`],
      ['among unknown versions', `v2,${hmac} ${good} v10,x`],
      ['among empty entries', ` ${good}  `],
    ])('accepted: %s', async (_, header) => {
      expect(await verifyPublished({ 'wh-signature': header })).toEqual(accepted)
    })

    test.each([
      ['the right HMAC under another version', `v2,${hmac}`],
      ['a version that only begins with v1', `v1a,${hmac}`],
      ['a version in another case', `V1,${hmac}`],
      ['no version', hmac],
      ['a separator other than a comma', `v1=${hmac}`],
      ['text after the HMAC', `${good},x`],
      ['pairs separated by a comma', `${good},${bad}`],
      ['pairs separated by a tab', `${good}\t${bad}`],
      ['only wrong signatures', `${bad} ${bad}`],
    ])('rejected: %s', async (_, header) => {
      expect(await verifyPublished({ 'wh-signature': header })).toMatchObject({
        reason: 'no-matching-signature',
      })
    })
  })

  test('step 7: a delivery is authentic if any v1 pair matches; a rejection says what to check, without a secret or a valid signature', async () => {
    const result = await verify(body, publishedHeaders(), OTHER_SECRET, { now: sentAt() })
    expect(result).toEqual({
      ok: false,
      reason: 'no-matching-signature',
      message:
        'No v1 signature in wh-signature matches. If the request is genuine, ' +
        'check that the secret belongs to this webhook and that the body is the raw bytes as received.',
    })
  })
})

describe('the event of a verified delivery', () => {
  async function verified(text: string) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = { 'wh-id': 'msg_1', 'wh-timestamp': timestamp }
    const signature = await sign(secret, 'msg_1', timestamp, text)
    const delivery = await verify<Events>(text, { ...headers, 'wh-signature': signature }, secret)
    if (!delivery.ok) throw new Error(delivery.message)
    return delivery
  }
  interface Events {
    'order.paid': { total: string }
    'order.refunded': { order: number }
  }
  const PAID = { id: 'evt_1', type: 'order.paid', timestamp: 'x', data: { total: '1' } }

  test('is the parsed body, parsed once', async () => {
    const delivery = await verified(JSON.stringify(PAID))
    expect(delivery.event).toEqual(PAID)
    expect(delivery.event).toBe(delivery.event)
    expectTypeOf(delivery.event.type).toEqualTypeOf<'order.paid' | 'order.refunded'>()
    if (delivery.event.type === 'order.paid') {
      expectTypeOf(delivery.event.data).toEqualTypeOf<{ total: string }>()
    }
    expectTypeOf((await verifyPublished()) as VerifiedDelivery)
      .toHaveProperty('event')
      .toEqualTypeOf<WebhookEvent>()
  })

  test('is not in a copy or in a log of the delivery', async () => {
    const delivery = await verified(JSON.stringify(PAID))
    expect(JSON.stringify([delivery, { ...delivery }])).not.toContain('order.paid')
  })

  test('of a body that is not JSON is an error only when it is read', async () => {
    const delivery = await verified('no JSON')
    expect(delivery.ok).toBe(true)
    expect(() => delivery.event).toThrow(SyntaxError)
  })
})

const THIRD = `whsec_${btoa('a third webhook, a third key')}`

test.each<[string, signedWith: string[], accepted: string | string[], result: object]>([
  ['the old secret, of both', [secret], [secret, OTHER_SECRET], { ok: true, secretIndex: 0 }],
  ['the new secret, of both', [OTHER_SECRET], [secret, OTHER_SECRET], { ok: true, secretIndex: 1 }],
  ['both, by the old one', [secret, OTHER_SECRET], secret, { ok: true }],
  ['both, by the new one', [secret, OTHER_SECRET], OTHER_SECRET, { ok: true }],
  ['the new one, once the old one is dropped', [OTHER_SECRET], [OTHER_SECRET], { ok: true }],
  ['the old one, once it is dropped', [secret], [OTHER_SECRET], { ok: false }],
  ['a third one', [THIRD], [secret, OTHER_SECRET], { reason: 'no-matching-signature' }],
])('contract 9, during a rotation: %s', async (_, signedWith, accepted, result) => {
  const entries = await Promise.all(
    signedWith.map((one) => sign(one, PUBLISHED.id, sentAt(), body)),
  )
  const headers = publishedHeaders({ 'wh-signature': entries.join(' ') })
  expect(await verify(body, headers, accepted, { now: sentAt() })).toMatchObject(result)
})
