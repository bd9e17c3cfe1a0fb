import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createLiveHub } from '../../src/live/hub.ts'
import type { LiveEvent } from '../../src/live/live-event.ts'
import { notify } from '../../src/live/notify.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'

test('a stream that ends while it opens leaves no old states of webhooks to the next one', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { pool, prisma, url } = database
  const { organizationId } = await createTenant(prisma)
  const { id: webhookId } = await prisma.webhook.create({
    data: {
      organizationId,
      url: 'https://example.com/',
      enabled: true,
      eventSubscriptions: [JOINED],
    },
  })
  let isRevoked = false
  let checks = 0
  await using hub = createLiveHub({
    databaseUrl: url,
    sql: pool,
    async findInactiveKeys(ids) {
      checks += 1
      const revoked = isRevoked ? ids.filter((id) => id === 'key') : []
      return new Map(revoked.map((id) => [id, 'revoked'] as const))
    },
    findEndedSessions: async () => new Set(),
    onError: () => {},
  })
  const reasons: string[] = []
  const open = (apiKeyId = 'key', needsHealth = true) =>
    hub.subscribe({
      organizationId,
      apiKeyId,
      sessionId: null,
      needsHealth,
      filter: ({ kind }) => kind === 'health',
      toError(reason) {
        reasons.push(reason)
        return new Error(reason)
      },
      disconnect: () => {},
    })

  await open('other key', false)
  await until(() => checks > 0, 'the keys are checked')
  // The next check is in two seconds, and the wait for the lock below ends after two seconds, too.
  await sleep(1_000)
  const client = await pool.connect()
  await client.query('begin')
  await client.query('lock table posthorn.live_listeners in exclusive mode')
  const opening = open()
  isRevoked = true
  await until(() => reasons.length > 0, 'the stream ends')
  isRevoked = false
  await client.query('rollback')
  client.release()
  await expect((await opening).next()).rejects.toThrow('revoked')

  await pool.query(
    'insert into posthorn.webhook_conditions (webhook_id, failing_since, consecutive_failures) values ($1, now(), 1)',
    [webhookId],
  )
  const stream = await open()
  for (const [i, succeeded] of [true, false].entries()) {
    const ids = {
      organizationId,
      webhookId,
      deliveryId: webhookId,
      attemptId: `${i}${webhookId.slice(1)}`,
    }
    await notify(pool, [{ kind: 'attempt', ...ids, succeeded, finished: false }])
  }
  const { value } = await stream.next()
  expect(value?.liveEvent).toMatchObject({ health: 'healthy' } satisfies Partial<LiveEvent>)
})
