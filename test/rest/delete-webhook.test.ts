import { describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

describe('DELETE /webhooks/{webhook_id}', () => {
  test('returns 204 without a body, for an enabled and for a disabled webhook', async () => {
    for (const enabled of [true, false]) {
      const { id } = await api.create({ enabled })
      const response = await api.call('DELETE', `/webhooks/${id}`)
      expect(response.status).toBe(204)
      expect(response.headers.get('content-type')).toBeNull()
      expect(await response.text()).toBe('')
    }
  })

  test('afterwards every call with its id returns 404', async () => {
    const { id } = await api.create()
    await api.call('DELETE', `/webhooks/${id}`)
    await problem(await api.call('GET', `/webhooks/${id}`), 404)
    await problem(await api.call('PUT', `/webhooks/${id}`, { body: { enabled: true } }), 404)
    await problem(await api.call('DELETE', `/webhooks/${id}`), 404)
    await problem(await api.call('GET', `/webhooks/${id}/secret`), 404)
    await problem(await api.call('POST', `/webhooks/${id}/secret/rotate`), 404)
  })

  test('deletes its secrets and headers, and queues a job that cancels its pending deliveries', async () => {
    const { id } = await api.create({ enabled: true, headers: { Authorization: 'Bearer secret' } })
    await api.call('DELETE', `/webhooks/${id}`)
    const { prisma, pool } = api.database
    const uuid = parseId('webhook', id) as string
    const row = await prisma.webhook.findUniqueOrThrow({ where: { id: uuid } })
    expect(row.headersCiphertext).toBeNull()
    expect(await prisma.signingSecret.count({ where: { webhookId: uuid } })).toBe(0)
    const jobs = await pool.query(
      'select task_identifier from graphile_worker.jobs where key = $1',
      [`cancel:${id}`],
    )
    expect(jobs.rows).toEqual([{ task_identifier: 'posthorn:cancel_deliveries' }])
  })
})
