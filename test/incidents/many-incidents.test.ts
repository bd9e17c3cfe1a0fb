import { expect, test } from 'vitest'
import { evaluateHealth } from '../../src/webhooks/evaluate-health.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const WEBHOOKS = 1_000

test('a thousand webhooks of a dead host have an incident each after a few evaluations, and none after the recovery', async () => {
  await using database = await createTestDatabase()
  const { pool, pipeline } = database
  const { organizationId } = await createTenant(database.prisma)
  await pool.query(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
     select $1, 'https://dead.example.com/' || i, true, array[$2] from generate_series(1, $3) as i`,
    [organizationId, JOINED, WEBHOOKS],
  )
  await pool.query(
    `insert into posthorn.webhook_conditions (webhook_id, failing_since, consecutive_failures, last_error, next_evaluation_at)
     select id, now(), 10, 'HTTP 503', now() from posthorn.webhooks`,
  )
  const evaluateAll = async () => {
    let transitions = 0
    for (let round = 0; round < WEBHOOKS / 250; round++) {
      transitions += (await evaluateHealth(pipeline)).length
    }
    return transitions
  }
  const count = (where: string) =>
    database.pool
      .query(`select from posthorn.incidents where ${where}`)
      .then(({ rows }) => rows.length)

  expect(await evaluateAll()).toBe(WEBHOOKS)
  expect(await count(`webhook_state = 'failing' and resolved_at is null`)).toBe(WEBHOOKS)

  await pool.query(
    `update posthorn.webhook_conditions set failing_since = null, consecutive_failures = 0, last_success_at = now(),
       next_evaluation_at = now()`,
  )
  expect(await evaluateAll()).toBe(WEBHOOKS)
  expect(await count(`resolved_at is not null`)).toBe(WEBHOOKS)
})
