import { describe, expect, test } from 'vitest'
import { sign, verify } from '../../src/receiver/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id } = PUBLISHED
const now = sentAt()

async function signedWith(...secrets: string[]) {
  const entries = await Promise.all(secrets.map((one) => sign(one, id, now, body)))
  return publishedHeaders({ 'wh-signature': entries.join(' ') })
}

describe('contract 7.2: receiver-side rejections', () => {
  test('a signature header is missing: reject', async () => {
    const headers = publishedHeaders({ 'wh-signature': undefined })
    expect(await verify(body, publishedHeaders(), secret, { now })).toMatchObject({ ok: true })
    expect(await verify(body, headers, secret, { now })).toMatchObject({
      ok: false,
      reason: 'missing-header',
    })
  })

  test('timestamp more than 5 minutes from the current time: reject', async () => {
    const at = (offset: number) => verify(body, publishedHeaders(), secret, { now: sentAt(offset) })
    expect(await at(5 * 60)).toMatchObject({ ok: true })
    expect(await at(5 * 60 + 1)).toMatchObject({ ok: false, reason: 'timestamp-too-old' })
  })

  test('no v1 signature matches: reject', async () => {
    expect(await verify(body, await signedWith(secret), secret, { now })).toMatchObject({
      ok: true,
    })
    expect(await verify(body, await signedWith(OTHER_SECRET), secret, { now })).toMatchObject({
      ok: false,
      reason: 'no-matching-signature',
    })
  })
})

describe('contract 8: limits', () => {
  test('timestamp tolerance is 300 seconds in either direction', async () => {
    const offsets = [-301, -300, 0, 300, 301]
    const results = await Promise.all(
      offsets.map((offset) => verify(body, publishedHeaders(), secret, { now: sentAt(offset) })),
    )
    expect(results.map((result) => result.ok)).toEqual([false, true, true, true, false])
  })

  test('delivery guarantee is at-least-once: a retry verifies again and has the same id to deduplicate by', async () => {
    const retriedAt = sentAt(3600)
    const retry = publishedHeaders({
      'wh-timestamp': String(retriedAt.getTime() / 1000),
      'wh-signature': await sign(secret, id, retriedAt, body),
    })
    expect(await verify(body, publishedHeaders(), secret, { now })).toMatchObject({ id })
    expect(await verify(body, retry, secret, { now: retriedAt })).toEqual({
      ok: true,
      id,
      timestamp: retriedAt,
      secretIndex: 0,
      isTest: false,
    })
  })
})

describe('contract 9: during a rotation a receiver accepts both secrets', () => {
  const [old, fresh] = [secret, OTHER_SECRET]

  test('the old and the new secret both verify, and the result says which one matched', async () => {
    const both = [old, fresh]
    expect(await verify(body, await signedWith(old), both, { now })).toMatchObject({
      ok: true,
      secretIndex: 0,
    })
    expect(await verify(body, await signedWith(fresh), both, { now })).toMatchObject({
      ok: true,
      secretIndex: 1,
    })
  })

  test('a receiver with one of the secrets accepts a delivery signed with both', async () => {
    const headers = await signedWith(old, fresh)
    expect(await verify(body, headers, old, { now })).toMatchObject({ ok: true })
    expect(await verify(body, headers, fresh, { now })).toMatchObject({ ok: true })
  })

  test('once the old secret is dropped its signatures are rejected', async () => {
    expect(await verify(body, await signedWith(fresh), [fresh], { now })).toMatchObject({
      ok: true,
    })
    expect(await verify(body, await signedWith(old), [fresh], { now })).toMatchObject({ ok: false })
  })

  test('a third secret matches neither', async () => {
    const third = `whsec_${btoa('a third webhook, a third key')}`
    expect(await verify(body, await signedWith(third), [old, fresh], { now })).toMatchObject({
      reason: 'no-matching-signature',
    })
  })
})
