import { beforeAll, expect } from 'vitest'
import { SYSTEM } from '../../../src/access/actor.ts'
import type { Database } from '../../../src/db/client.ts'
import { parseId } from '../../../src/db/ids.ts'
import { createKeyring } from '../../../src/encryption/keyring.ts'
import { createAddressGuard } from '../../../src/outbound/public-address.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { createWebhook } from '../../../src/webhooks/webhook.ts'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import { call } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { browser, openDesk, server, story } from '../support/desk.ts'
import { misfits } from '../support/layout.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { violations } from '../support/violations.ts'
import { visit } from '../support/visit.ts'

/* Of 39 webhooks of the organization 14 are on hold. Of 299 other organizations, three have webhooks on hold. */
const WEBHOOKS = 39
const ON_HOLD = 14
const EVENTS = 10
const OTHERS = 299
/** How many deliveries wait in each of the damaged organizations. */
const DAMAGED = { 'Bluebird Festivals': 400, 'Lakeside Concerts': 300, 'Northwind Tickets': 200 }

openDesk(startConsoleServer)

beforeAll(async () => {
  await using database = await server.openDatabase()
  const { pool } = database
  const ids = await createWebhooks(database)
  for (const id of ids.slice(0, ON_HOLD)) await hold(database, id, 100)
  await call(server, 'publishEvents', {
    input: ['PublishEventsInput!', { events: Array(EVENTS).fill({ type: JOINED, data: {} }) }],
  })
  await createOthers(database)
  const succeeded = `select count(*)::int as count from posthorn.deliveries where state = 'succeeded'`
  await until(
    async () => (await pool.query(succeeded)).rows[0].count === EVENTS * (WEBHOOKS - ON_HOLD),
    'the others receive their deliveries',
    60_000,
  )
})

story('with 14 of 39 webhooks on hold, the overview says so in its first sentence', async () => {
  await using reader = await open('/overview')
  const { page } = reader
  const sentence = page.getByRole('status').filter({ hasText: 'Posthorn' })
  await expect.poll(() => sentence.innerText()).toMatch(/14 of 39 webhooks are on hold\.$/)
  const reasons = page.getByRole('region', { name: 'What deliveries wait for' })
  await expect.poll(() => reasons.innerText()).toMatch(/Webhook on hold\s+1,540\s+Oldest: 23 hr/)
  // 250 of 1,650: attempts alone would say 100 %.
  const figures = page.locator('.ph-figures').first()
  await expect.poll(() => figures.innerText()).toMatch(/Arrived within a minute\s+1[5-9](\.\d)?%/)
  await expectFits(reader.page)
})

story('an operator of 300 organizations sees the three with damage first', async () => {
  await using reader = await open('/organizations')
  const rows = reader.page.getByRole('table').getByRole('row')
  await expect.poll(() => rows.nth(1).innerText()).toContain('14 on hold')
  const names = Object.keys(DAMAGED)
  for (const [index, name] of names.entries()) {
    const text = await rows.nth(index + 2).innerText()
    expect(text).toContain(name)
    expect(text).toContain('1 on hold')
  }
  expect(await rows.nth(names.length + 2).innerText()).not.toContain('on hold')
  await reader.page.getByRole('button', { name: 'Next' }).waitFor()
  await expectFits(reader.page)
})

async function open(path: string) {
  const reader = await visit(browser, { origins: [server.url], signedInTo: server })
  await reader.page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(reader.page)
  return reader
}

async function expectFits(page: Awaited<ReturnType<typeof open>>['page']) {
  for (const width of [360, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect.soft(await misfits(page), `${width}`).toEqual([])
  }
  expect.soft(await violations(page)).toEqual([])
}

async function createWebhooks({ prisma }: Database): Promise<readonly string[]> {
  for (let i = 0; i < WEBHOOKS; i++) {
    const url = `${server.receiver.url}${i}`
    await call(server, 'createWebhook', {
      input: ['CreateWebhookInput!', { url, enabled: true, eventSubscriptions: [JOINED] }],
    })
  }
  return (await prisma.webhook.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)
}

/** The endpoint has failed for long: no probe is due, and this many deliveries wait, the oldest for 23 hours. */
async function hold({ pool }: Database, webhookId: string, waiting: number): Promise<void> {
  await putOnHold(pool, webhookId)
  await pool.query(
    `update posthorn.webhook_schedules set on_hold_since = now() - interval '23 hours',
       next_probe_at = now() + interval '1 day' where webhook_id = $1`,
    [webhookId],
  )
  await pool.query(
    `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts, parked_at,
       parked_reason)
     select old.id, w.organization_id, w.id, old.id, $3, 10, now(), 'on_hold'
     from posthorn.webhooks as w, generate_series(1, $2::int) as i, lateral (
       select (left(posthorn.uuid_v7_lower_bound(now() - interval '23 hours')::text, 24)
         || right(md5(w.id::text || i), 12))::uuid as id
     ) as old
     where w.id = $1`,
    [webhookId, waiting, JOINED],
  )
}

async function createOthers(database: Database): Promise<void> {
  const names = [
    ...Array.from({ length: OTHERS - Object.keys(DAMAGED).length }, (_, i) => `Customer ${i + 1}`),
    ...Object.keys(DAMAGED),
  ]
  const { rows } = await database.pool.query<{ id: string; name: string }>(
    'insert into posthorn.organizations (name) select * from unnest($1::text[]) returning id, name',
    [names],
  )
  const guard = createAddressGuard([])
  const keyring = createKeyring([Buffer.alloc(32, 1)])
  const deps = { prisma: database.prisma, keyring, guard, actor: SYSTEM }
  const fields = { url: 'https://example.com/hooks', enabled: true, eventSubscriptions: [JOINED] }
  for (const [name, waiting] of Object.entries(DAMAGED)) {
    const organization = rows.find((row) => row.name === name)?.id as string
    const { id } = await createWebhook(deps, organization, fields)
    await hold(database, parseId('webhook', id) as string, waiting)
  }
}
