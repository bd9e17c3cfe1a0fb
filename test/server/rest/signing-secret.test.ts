import { describe, expect, test } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { deleteOldRows } from '../../../src/run/maintenance.ts'
import { MAX_EXPIRING_SECRETS } from '../../../src/webhooks/signing-secret.ts'
import { signingSecretsOf } from '../../support/signing-secrets.ts'
import { json, useConnectV1 } from './connect-v1.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

const api = await useConnectV1()

const secret = (id: string) => api.call('GET', `/webhooks/${id}/secret`)
const ofWebhook = (id: string) => ({ webhookId: parseId('webhook', id) as string })
const rotate = (id: string) => api.call('POST', `/webhooks/${id}/secret/rotate`)

test('GET /webhooks/{webhook_id}/secret returns 200 with the key: whsec_ and the base64 of at least 24 bytes', async () => {
  const { id } = await api.create()
  const response = await secret(id)
  expect(response.status).toBe(200)
  const body = await json(response)
  const key = Buffer.from(body.key.slice('whsec_'.length), 'base64')
  expect(key.byteLength).toBeGreaterThanOrEqual(24)
  expect(body).toEqual({ key: `whsec_${key.toString('base64')}` })
})

describe('POST /webhooks/{webhook_id}/secret/rotate', () => {
  test('rule 4: returns 200 with a new secret, the current one; the old one remains valid for 24 hours', async () => {
    const { id } = await api.create()
    const old = await json(await secret(id))
    const before = Date.now()
    const response = await rotate(id)
    const after = Date.now()
    expect(response.status).toBe(200)
    const fresh = await json(response)
    expect(fresh).toEqual({ key: expect.stringMatching(/^whsec_/) })
    expect(fresh.key).not.toBe(old.key)
    expect(await json(await secret(id))).toEqual(fresh)
    const [current, previous] = await signingSecretsOf(api.deps.webhooks, id)
    expect(current?.expiresAt).toBeNull()
    expect(previous?.key).toBe(old.key)
    const expiresAt = previous?.expiresAt?.getTime()
    expect(expiresAt).toBeGreaterThanOrEqual(before + DAY_MS)
    expect(expiresAt).toBeLessThanOrEqual(after + DAY_MS)

    await api.database.prisma.signingSecret.updateMany({
      where: { ...ofWebhook(id), expiresAt: { not: null } },
      data: { expiresAt: new Date(before) },
    })
    expect(await signingSecretsOf(api.deps.webhooks, id)).toEqual([current])
    await deleteOldRows(api.database.pool, 'secrets')
    expect(await api.database.prisma.signingSecret.count({ where: ofWebhook(id) })).toBe(1)
  })

  test('a sixth rotation within 24 hours succeeds, and ends the oldest secret at once', async () => {
    const [{ id }, other] = [await api.create(), await api.create()]
    await rotate(other.id)
    const keys = [await json(await secret(id))]
    for (let i = 0; i < 6; i++) keys.unshift(await json(await rotate(id)))
    const valid = await signingSecretsOf(api.deps.webhooks, id)
    expect(valid.map(({ key }) => ({ key }))).toEqual(keys.slice(0, 1 + MAX_EXPIRING_SECRETS))
    expect(await signingSecretsOf(api.deps.webhooks, other.id)).toHaveLength(2)
  })

  test('parallel rotations leave exactly one current secret', async () => {
    const { id } = await api.create()
    const responses = await Promise.all([rotate(id), rotate(id), rotate(id)])
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200])
    const keys = await Promise.all(responses.map(async (response) => (await json(response)).key))
    expect(new Set(keys).size).toBe(3)
    expect(keys).toContain((await json(await secret(id))).key)
    const current = await api.database.prisma.signingSecret.count({
      where: { ...ofWebhook(id), expiresAt: null },
    })
    expect(current).toBe(1)
  })
})
