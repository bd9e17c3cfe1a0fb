import { inspect } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  sign,
  verify,
  verifyOrThrow,
  WebhookVerificationError,
} from '../../packages/receiver/src/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id, timestamp } = PUBLISHED
const options = { now: sentAt() }

/** Calls `verify` without type checks, as plain JavaScript can. */
function verifyLoosely(changes: { body?: unknown; secret?: unknown; options?: unknown }) {
  type Given = { body: string; secret: string; options: object }
  const given = { body, secret, options, ...changes } as Given
  return verify(given.body, publishedHeaders(), given.secret, given.options)
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expect.unreachable(`resolved with ${inspect(value)}`),
    (error) => error,
  )
}

describe('a malformed secret is a TypeError that does not contain the secret', () => {
  const hidden = 'c2VjcmV0IHNlY3JldCBzZWNyZXQh'

  test.each([
    ['has no prefix', hidden],
    ['has the prefix in another case', `WHSEC_${hidden}`],
    ['has white space before it', ` whsec_${hidden}`],
    ['has a line break after it', `whsec_${hidden}\n`],
    ['has quotes around its key', `whsec_"${hidden}"`],
    ['is cut short', `whsec_${hidden.slice(0, -1)}`],
    ['is in the URL-safe alphabet', `whsec_${hidden.slice(0, -4)}_-_-`],
    ['has padding in the middle', `whsec_AA==${hidden}`],
    ['is only padding', 'whsec_===='],
    ['has no key', 'whsec_'],
    ['is empty', ''],
    ['is undefined', undefined],
    ['is bytes', new TextEncoder().encode(hidden)],
    ['is an empty list', []],
    ['is a list of unset variables', [undefined, undefined]],
    ['is a list with a malformed secret', [secret, hidden]],
  ])('it %s', async (_, malformed) => {
    for (const call of [
      verifyLoosely({ secret: malformed }),
      sign(malformed as string, id, timestamp, body),
    ]) {
      const error = await rejection(call)
      expect(error).toBeInstanceOf(TypeError)
      expect(inspect(error)).toContain('webhook secret')
      expect(inspect(error)).not.toContain(hidden.slice(0, 12))
      expect(inspect(error)).not.toContain(secret)
    }
  })
})

test('a list may have an unset variable, and secretIndex counts it', async () => {
  const result = await verifyLoosely({ secret: [undefined, OTHER_SECRET, secret] })
  expect(result).toMatchObject({ ok: true, secretIndex: 2 })
  expect(await verifyLoosely({ secret: [undefined, OTHER_SECRET] })).toMatchObject({ ok: false })
})

describe('the body must be raw', () => {
  const bytes = new TextEncoder().encode(body)
  const padded = new Uint8Array([0, 0, ...bytes, 0])
  const ofAnotherRealm = (code: string) => runInContext(code, createContext({ bytes }))

  test.each([
    ['a string', body],
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', bytes.buffer],
    ['a view into a larger buffer', padded.subarray(2, -1)],
    ['a Uint8Array of another realm', ofAnotherRealm('Uint8Array.from(bytes)')],
    ['an ArrayBuffer of another realm', ofAnotherRealm('Uint8Array.from(bytes).buffer')],
  ])('%s is accepted', async (_, given) => {
    expect(await verifyLoosely({ body: given })).toMatchObject({ ok: true })
  })

  test.each([
    ['an object', JSON.parse(body)],
    ['an array', [1, 2]],
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['an object', new Request('https://receiver.example/', { method: 'POST', body })],
  ])('%s is an error that says what to do', async (kind, given) => {
    const error = await rejection(verifyLoosely({ body: given }))
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toBe(
      `The raw body must be a Uint8Array, an ArrayBuffer or a string, not ${kind}. ` +
        'The signature covers the bytes as received, so a body parsed as JSON cannot be verified: ' +
        "keep the raw body, e.g. with express.raw({ type: '*/*' }) or await request.arrayBuffer().",
    )
  })

  test('bytes changed while verification runs do not change its result', async () => {
    const changing = Uint8Array.from(bytes)
    const pending = verifyLoosely({ body: changing })
    changing.fill(0)
    expect(await pending).toMatchObject({ ok: true })
  })
})

describe('options that would weaken verification are rejected, not ignored', () => {
  test.each([
    ['an invalid date', { now: new Date(Number.NaN) }],
    ['a function that returns an invalid date', { now: () => new Date('yesterday') }],
    ['milliseconds', { now: Date.now() }],
    ['null', { now: null }],
  ])('now is %s', async (_, given) => {
    const error = await rejection(verifyLoosely({ options: given }))
    expect(error).toEqual(new TypeError('The option now must be a valid Date.'))
  })

  test('an unknown option is named', async () => {
    const error = await rejection(verifyLoosely({ options: { toleranceSeconds: 60 } }))
    expect(error).toEqual(
      new TypeError('Unknown option "toleranceSeconds"; the options are headerPrefix and now.'),
    )
  })
})

test('verifyOrThrow returns an authentic delivery, and throws the reason for any other', async () => {
  const authentic = await verify(body, publishedHeaders(), secret, options)
  expect(await verifyOrThrow(body, publishedHeaders(), secret, options)).toEqual(authentic)
  const result = await verify(body, publishedHeaders(), OTHER_SECRET, options)
  const error = await rejection(verifyOrThrow(body, publishedHeaders(), OTHER_SECRET, options))
  expect(error).toBeInstanceOf(WebhookVerificationError)
  expect(error).toMatchObject({
    name: 'WebhookVerificationError',
    reason: 'no-matching-signature',
    message: result.ok ? '' : result.message,
  })
})
