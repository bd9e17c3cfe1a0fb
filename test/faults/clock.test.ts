import { afterEach, expect, test, vi } from 'vitest'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000

afterEach(() => void vi.useRealTimers())

test.each([
  ['40 days forward', 40 * DAY_MS],
  ['40 days backward', -40 * DAY_MS],
])(
  "a process's clock that jumps %s changes no retry time and deletes neither rows nor idempotency keys",
  async (_case, jumpMs) => {
    await using receiver = await startReceiver()
    await using app = await startTestApp({ trustedAuthorities: [receiver.authority] })
    receiver.answer = (response) =>
      response.writeHead(receiver.received.length < 3 ? 500 : 200).end()
    await createWebhook(app, receiver.url)
    const event = { type: JOINED, data: {}, idempotencyKey: 'k-1' }
    const publish = () => app.services.publishEvents(app.tenant.organizationId, [event])
    const [first] = await publish()

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jumpMs })
    await maintainPartitions(app.database.pool, 30 * DAY_MS)
    await deleteOldRows(app.database.pool, 'idempotency_keys')
    expect(await publish()).toEqual([{ ...first, deliveryCount: 0, duplicate: true }])
    // Its deadline is one of the monotonic clock, which has not jumped.
    await receiver.arrival(3)
    expect(receiver.received).toHaveLength(3)
    vi.useRealTimers()
    const query = 'select state, attempt_count from posthorn.deliveries'
    const rows = async () => (await app.database.pool.query(query)).rows
    await until(async () => (await rows())[0].state === 'succeeded', 'the attempt is recorded')
    expect(await rows()).toEqual([{ state: 'succeeded', attempt_count: 3 }])
  },
)
