import { describe, expect, test } from 'vitest'
import { sign, verify } from '../../src/receiver/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret, body, id } = PUBLISHED
const now = sentAt()

async function signedWith(...secrets: string[]) {
  const entries = await Promise.all(secrets.map((one) => sign(one, id, now, body)))
  return publishedHeaders({ 'wh-signature': entries.join(' ') })
}

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
