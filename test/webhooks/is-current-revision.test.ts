import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createIsCurrentRevision } from '../../src/webhooks/is-current-revision.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'

const database = await useTestDatabase()
const { organizationId } = await createTenant(database.prisma)

test('a webhook is at the revision that was read, until the webhook changes', async () => {
  const isCurrentRevision = createIsCurrentRevision(database.pool)
  const { id } = await insertWebhook()
  expect(await isCurrentRevision(id, await revisionOf(id))).toBe(true)
  expect(await isCurrentRevision(id, '0')).toBe(false)
  const before = await revisionOf(id)
  await database.pool.query('update posthorn.webhooks set revision = revision + 1 where id = $1', [
    id,
  ])
  await sleep(30) // A read is used for 20 ms.
  expect(await isCurrentRevision(id, before)).toBe(false)
  expect(await isCurrentRevision(id, await revisionOf(id))).toBe(true)
})

test('checks end after a read that takes longer than a webhook is kept', async () => {
  const isCurrentRevision = createIsCurrentRevision(database.pool)
  const [first, second] = [await insertWebhook(), await insertWebhook()]
  const revisions = [await revisionOf(first.id), await revisionOf(second.id)] as const
  const locking = await database.pool.connect()
  await locking.query('begin')
  await locking.query('lock table posthorn.webhooks in access exclusive mode')
  const checks = [isCurrentRevision(first.id, revisions[0])]
  // Comes while the read for the first waits.
  checks.push(Promise.resolve(isCurrentRevision(second.id, revisions[1])))
  await sleep(1_100)
  await locking.query('rollback')
  locking.release()
  expect(await Promise.all(checks)).toEqual([true, true])
})

async function insertWebhook() {
  return await database.prisma.webhook.create({
    data: { organizationId, url: 'https://example.com/', eventSubscriptions: ['x'] },
  })
}

async function revisionOf(id: string): Promise<string> {
  const { rows } = await database.pool.query(
    'select revision from posthorn.webhooks where id = $1',
    [id],
  )
  return rows[0].revision
}
