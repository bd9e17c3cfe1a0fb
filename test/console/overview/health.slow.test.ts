import { beforeAll, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

/** One webhook is on hold, one is 23 hours behind its rate limit, and of one 23 % of the deliveries fail. */
let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})

beforeAll(async () => {
  await using database = await server.openDatabase()
  const [crm, boxOffice] = [seed.webhooks.crm, seed.webhooks.boxOffice].map((id) =>
    parseId('webhook', id),
  )
  // One leaves each second: after a quarter of an hour, there are still more than 1,000.
  await database.pool.query(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts, parked_at,
       parked_reason)
     select old.id, w.organization_id, w.id, old.id, 'order.placed', 10, now(), 'rate_limit'
     from posthorn.webhooks as w, generate_series(1, 1990) as i, lateral (
       select (left(posthorn.uuid_v7_lower_bound(now() - interval '23 hours')::text, 24) || lpad(to_hex(i), 12, '0'))::uuid as id
     ) as old
     where w.id = $1`,
    [crm],
  )
  await database.pool.query(
    'update posthorn.webhooks set rate_limit_per_second = 1, ordered = false, revision = revision + 1 where id = $1',
    [crm],
  )
  await database.pool.query(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since) values ($1, now())
     on conflict (webhook_id) do update set backlog_since = now()`,
    [crm],
  )
  await database.pool.query(
    `update posthorn.webhook_statistics set first_attempts = 100, first_attempts_failed = 23
     where subject_id = $1 and minutes = 1 and bucket > now() - interval '15 minutes'`,
    [boxOffice],
  )
  await database.pool.query(
    'update posthorn.webhook_conditions set next_evaluation_at = now() where webhook_id = $1',
    [boxOffice],
  )
})

story('the overview begins with one sentence about Posthorn and the webhooks', async () => {
  await open('/overview')
  const sentence = page.getByRole('status').filter({ hasText: 'Posthorn' })
  await expect
    .poll(() => sentence.innerText())
    .toMatch(
      /^Posthorn keeps up: 95% of deliveries were first sent within .*\. 1 of 6 webhooks is on hold, 2 failing, 1 behind and 1 degraded\.$/,
    )
  const reasons = page.getByRole('region', { name: 'What deliveries wait for' })
  await expect.poll(() => reasons.innerText()).toMatch(/Rate limit\s+1,\d{3}\s+Oldest: 23 hr/)
  const figures = page.locator('.ph-figures').first()
  await expect.poll(() => figures.innerText()).toMatch(/Arrived within a minute\s+\d/)
  // The worst first.
  const badges = page.getByRole('region', { name: 'Incidents' }).locator('.ph-state')
  await expect
    .poll(() => badges.allInnerTexts())
    .toEqual(['On hold', 'Failing', 'Failing', 'Behind', 'Degraded'])
})

story('the page of a webhook that is behind says why, and what to do', async () => {
  await open(`/webhooks/${seed.webhooks.crm}`)
  await page
    .getByText(/At its rate limit\. 1,\d{3} deliveries wait, the oldest for 23 hr/)
    .waitFor()
  await page.getByText('If the endpoint can take more, raise the limit.').waitFor()
  await page.getByRole('link', { name: 'Edit webhook' }).first().waitFor()
})

story('the page of a webhook of which 77 % succeed says how many failed', async () => {
  await open(`/webhooks/${seed.webhooks.boxOffice}`)
  await page
    .getByText(/Degraded for .*the first attempt of [\d,]+ deliveries failed \(2\d(\.\d)?%\)/)
    .waitFor()
  await page.getByText('Posthorn retries failed deliveries by the retry schedule.').waitFor()
})

story('an operator sees the organizations, the worst first', async () => {
  await open('/organizations')
  const rows = page.getByRole('table').getByRole('row')
  await expect.poll(() => rows.nth(1).innerText()).toContain('Harvest Fair')
  expect(await rows.nth(1).innerText()).toMatch(/1 on hold, 2 failing, 1 behind, 1 degraded/)
})
