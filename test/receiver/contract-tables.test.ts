import { expect, test } from 'vitest'
import { sign, verify } from '../../src/receiver/index.ts'
import { OTHER_SECRET, PUBLISHED, publishedHeaders, sentAt } from './signed-delivery.ts'

const { secret: old, body, id } = PUBLISHED
const fresh = OTHER_SECRET
const third = `whsec_${btoa('a third webhook, a third key')}`
const now = sentAt()

test.each<[string, signedWith: string[], accepted: string | string[], result: object]>([
  ['the old secret, of both', [old], [old, fresh], { ok: true, secretIndex: 0 }],
  ['the new secret, of both', [fresh], [old, fresh], { ok: true, secretIndex: 1 }],
  ['both, by the old one', [old, fresh], old, { ok: true }],
  ['both, by the new one', [old, fresh], fresh, { ok: true }],
  ['the new one, once the old one is dropped', [fresh], [fresh], { ok: true }],
  ['the old one, once it is dropped', [old], [fresh], { ok: false }],
  ['a third one', [third], [old, fresh], { reason: 'no-matching-signature' }],
])('contract 9, during a rotation: %s', async (_, signedWith, accepted, result) => {
  const entries = await Promise.all(signedWith.map((one) => sign(one, id, now, body)))
  const headers = publishedHeaders({ 'wh-signature': entries.join(' ') })
  expect(await verify(body, headers, accepted, { now })).toMatchObject(result)
})
