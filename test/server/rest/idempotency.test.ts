import { describe, expect, test } from 'vitest'
import { hashRequest, runOnce } from '../../../src/http/run-once.ts'
import { deleteOldRows } from '../../../src/run/maintenance.ts'
import { CREATE_WEBHOOK } from '../../../src/server/rest/connect-v1/routes.ts'
import { createTenant, TICKET } from '../../support/factories.ts'
import { json, NEW_WEBHOOK, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()
const { pool, prisma } = api.database

const post = (key: string, body: unknown = NEW_WEBHOOK, token = api.tenant.token) =>
  api.call('POST', '/webhooks', { token, body, headers: { 'idempotency-key': key } })

let keyCount = 0
const newKey = () => `key-${keyCount++}`

/** The whole response, except the value of the RateLimit header. */
async function wholeResponse(response: Response) {
  const { ratelimit, ...headers } = Object.fromEntries(response.headers)
  return {
    status: response.status,
    limited: ratelimit !== undefined,
    headers,
    body: await response.text(),
  }
}

/** Backdates a stored key, in whole milliseconds like the stored time. */
async function age(key: string, hours: number) {
  await pool.query(
    `update posthorn.idempotency_keys
     set created_at = date_trunc('milliseconds', now()) - make_interval(hours => $2)
     where key = $1 and organization_id = $3`,
    [key, hours, api.tenant.organizationId],
  )
}

describe('Idempotency-Key', () => {
  test('returns the same response for the same fields in any order, even if the webhook was changed or deleted meanwhile', async () => {
    const key = newKey()
    const headers = { A: '1', B: '2' }
    const first = await wholeResponse(await post(key, { ...NEW_WEBHOOK, headers }))
    const { id } = JSON.parse(first.body)
    await api.call('PUT', `/webhooks/${id}`, { body: { description: 'changed' } })
    const { url, event_subscriptions } = NEW_WEBHOOK
    const reordered = { headers: { B: '2', A: '1' }, event_subscriptions, url }
    const again = async () =>
      await wholeResponse(await post(key, JSON.stringify(reordered, null, 2)))
    expect(await again()).toEqual(first)
    await api.call('DELETE', `/webhooks/${id}`)
    expect(await again()).toEqual(first)
  })

  test('two organizations can use the same key independently', async () => {
    const key = newKey()
    const otherTenant = await createTenant(prisma)
    const mine = await json(await post(key))
    const theirs = await post(key, { ...NEW_WEBHOOK, description: 'theirs' }, otherTenant.token)
    expect(theirs.status).toBe(201)
    expect((await json(theirs)).id).not.toBe(mine.id)
  })

  test('409: the same key with another body, even an invalid one', async () => {
    const key = newKey()
    await post(key)
    const count = await api.countWebhooks()
    const changes = [{ event_subscriptions: [TICKET] }, { url: 'http://a.example' }, { x: 1 }]
    for (const change of changes) {
      const { type, detail } = await problem(await post(key, { ...NEW_WEBHOOK, ...change }), 409)
      expect(type).toBe('urn:posthorn:problem:conflict')
      expect(detail).toContain('another input')
    }
    expect(await api.countWebhooks()).toBe(count)
  })

  test('409: while the first call is running', async () => {
    const key = newKey()
    const finish = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const { organizationId } = api.tenant
    const call = { organizationId, operation: CREATE_WEBHOOK, key, requestHash: hashRequest({}) }
    const running = runOnce(api.deps.webhooks, call, async () => {
      started.resolve()
      await finish.promise
      throw new Error('it failed')
    })
    await started.promise
    const { detail } = await problem(await post(key), 409)
    expect(detail).toContain('still running')
    finish.resolve()
    await expect(running).rejects.toThrow('it failed')
    expect((await post(key)).status).toBe(201)
  })

  test('parallel calls create one webhook, and each returns 201 or 409', async () => {
    const key = newKey()
    const before = await api.countWebhooks()
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(key)))
    expect(await api.countWebhooks()).toBe(before + 1)
    const created = responses.filter((response) => response.status === 201)
    const ids = await Promise.all(created.map(async (response) => (await json(response)).id))
    expect(new Set(ids).size).toBe(1)
    for (const response of responses) expect([201, 409]).toContain(response.status)
  })

  test('after a failed call, the key can be used with any body', async () => {
    const key = newKey()
    await problem(await post(key, { ...NEW_WEBHOOK, url: 'http://a.example' }), 422)
    await problem(await post(key, { ...NEW_WEBHOOK, colour: 'red' }), 422)
    expect((await post(key)).status).toBe(201)
  })

  test('a key is valid for 24 hours, and can then be used again', async () => {
    const key = newKey()
    const first = await json(await post(key))
    await age(key, 23)
    expect((await json(await post(key))).id).toBe(first.id)
    await age(key, 24)
    const body = { ...NEW_WEBHOOK, description: 'a day later' }
    const second = await json(await post(key, body))
    expect(second.id).not.toBe(first.id)
    expect((await json(await post(key, body))).id).toBe(second.id)
    await problem(await post(key), 409)
  })

  test('a key consists of 1 to 255 visible ASCII characters', async () => {
    for (const key of ['a', `"${'8'.repeat(36)}"`, '!~', 'k'.repeat(255)]) {
      expect((await post(key)).status).toBe(201)
    }
    for (const key of ['', 'k'.repeat(256), 'a b', 'a\tb', 'é']) {
      const { errors } = await problem(await post(key), 400)
      expect(errors).toMatchObject([{ header: 'Idempotency-Key', code: 'invalid_idempotency_key' }])
    }
  })

  test('the stored response is encrypted at rest', async () => {
    const key = newKey()
    await post(key, { ...NEW_WEBHOOK, headers: { Authorization: 'find-me' } })
    const { responseCiphertext } = await prisma.idempotencyKey.findFirstOrThrow({
      where: { key, organizationId: api.tenant.organizationId },
    })
    const bytes = Buffer.from(responseCiphertext as Uint8Array)
    expect(bytes.byteLength).toBeGreaterThan(100)
    expect(bytes.includes('find-me')).toBe(false)
    expect(bytes.includes('receiver.example')).toBe(false)
  })

  test('deleting expired keys deletes only keys older than 24 hours', async () => {
    const [old, fresh] = [newKey(), newKey()]
    await post(old)
    await post(fresh)
    await age(old, 25)
    await deleteOldRows(pool, 'idempotency_keys')
    const { organizationId } = api.tenant
    const where = { organizationId, key: { in: [old, fresh] } }
    expect(await prisma.idempotencyKey.findMany({ where })).toMatchObject([{ key: fresh }])
  })
})
