import { beforeEach, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { call } from '../support/call.ts'
import { browser, open, openDesk, page, server, story } from '../support/desk.ts'
import { misfits } from '../support/layout.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { violations } from '../support/violations.ts'
import { visit } from '../support/visit.ts'

/* Accounting is on hold; two other webhooks are failing. */
let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})
beforeEach(async () => {
  await using database = await server.openDatabase()
  await database.pool.query(
    `update posthorn.incidents set acknowledged_at = null, acknowledged_by = null where resolved_at is null`,
  )
})

const section = () => page.getByRole('region', { name: 'Incidents' })
const rowOf = (name: string) => section().getByRole('row').filter({ hasText: name })

async function openMenu(name: string) {
  await section()
    .getByRole('button', { name: `More actions: ${name}` })
    .click()
  return page.getByRole('menu')
}

story('the incidents are one list, the worst first, each with its cause', async () => {
  await open('/overview')
  await rowOf('Accounting').waitFor()
  const states = section().locator('tbody .ph-state')
  expect(await states.allInnerTexts()).toEqual(['On hold', 'Failing', 'Failing'])
  await expect.poll(() => rowOf('badges.example').innerText()).toContain('404 · ')
})

story('the cause of an incident leads to exactly its attempts', async () => {
  await open('/overview')
  await rowOf('badges.example')
    .getByRole('link', { name: /^404 · / })
    .click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  await waitUntilLoaded(page)
  const rows = page.getByRole('table', { name: 'Attempts' }).getByRole('row')
  await expect.poll(() => rows.count()).toBeGreaterThan(1)
  for (const text of (await rows.allInnerTexts()).slice(1)) expect(text).toContain('404')
})

story(
  'a person acknowledges an incident, others see who did, and it can be withdrawn',
  async () => {
    await open('/overview')
    await section().getByRole('button', { name: 'Acknowledge: Accounting' }).click()
    await page.getByText('Incident acknowledged.').waitFor()
    await expect.poll(() => rowOf('Accounting').innerText()).toContain('Acknowledged by')
    expect(await section().getByRole('button', { name: 'Acknowledge: Accounting' }).count()).toBe(0)

    await open(`/webhooks/${seed.webhooks.ledger}`)
    await page.getByText(/Acknowledged by /).waitFor()
    await open(`/webhooks/${seed.webhooks.ledger}?tab=history`)
    await page
      .getByRole('region', { name: 'Incidents' })
      .getByText(/Acknowledged by /)
      .waitFor()

    await open('/overview')
    await (await openMenu('Accounting'))
      .getByRole('menuitem', { name: 'Withdraw acknowledgment' })
      .click()
    await section().getByRole('button', { name: 'Acknowledge: Accounting' }).waitFor()
  },
)

story('an incident that is resolved is listed with how long it lasted', async () => {
  await using database = await server.openDatabase()
  await database.pool.query(
    `insert into posthorn.incidents (organization_id, webhook_id, webhook_state, cause, opened_at, resolved_at)
     select organization_id, id, 'behind', 'rate_limit', now() - interval '75 hours', now() - interval '72 hours'
     from posthorn.webhooks where id = $1`,
    [parseId('webhook', seed.webhooks.crm)],
  )
  await open('/overview')
  await section().getByText('Resolved', { exact: true }).click()
  await expect
    .poll(() => rowOf('Customer relations').innerText())
    .toMatch(/Behind[\s\S]*At its rate limit[\s\S]*3 hr/)
})

story('with the keyboard alone an incident is acknowledged', async () => {
  await open('/overview')
  const button = section().getByRole('button', { name: 'Acknowledge: Statistics of the fair' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => rowOf('Statistics of the fair').innerText()).toContain('Acknowledged')
})

story('a reader who may change nothing sees the incidents without the acts', async () => {
  const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
    server,
    'createApiKey',
    {
      input: [
        'CreateApiKeyInput!',
        { name: 'Reader', scopes: ['webhooks:read', 'deliveries:read', 'events:read'] },
      ],
    },
    'createdApiKey { token }',
  )
  await using other = await visit(browser, {
    origins: [server.url],
    signedInTo: { url: server.url, token: createdApiKey.token },
  })
  await other.page.goto(`${server.url}/console/overview`)
  await waitUntilLoaded(other.page)
  const incidents = other.page.getByRole('region', { name: 'Incidents' })
  await incidents.getByRole('row').filter({ hasText: 'Accounting' }).waitFor()
  expect(await incidents.getByRole('button').count()).toBe(0)
})

story(
  '“why is it failing?” is answered on the overview, in the list and by the attempt',
  async () => {
    await page.goto(`${server.url}/console/overview`)
    await waitUntilLoaded(page)
    const trouble = page.getByRole('region', { name: 'Incidents' })
    const badges = trouble.getByRole('row').filter({ hasText: 'badges.example' })
    await badges.getByText('404 · The receiver found nothing at this URL').waitFor()
    // Above the charts.
    const [top, chart] = await Promise.all([
      trouble.boundingBox(),
      page.getByRole('region', { name: 'Attempts over time' }).boundingBox(),
    ])
    expect(top?.y).toBeLessThan(chart?.y ?? 0)

    // Two steps lead to the attempt.
    await badges.getByRole('link', { name: 'badges.example' }).click()
    await page.getByRole('link', { name: 'Show attempt' }).click()
    await page.getByText('HTTP status 404').first().waitFor()

    await page.goto(`${server.url}/console/webhooks`)
    await waitUntilLoaded(page)
    const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('row')
    // Trouble comes first.
    await expect.poll(() => rows.nth(1).innerText()).toContain('On hold')
    expect(await rows.filter({ hasText: 'badges.example' }).innerText()).toContain('404 ·')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('tickets')
    await expect.poll(() => rows.count()).toBe(2)
  },
)

story('the list fits every width, and is accessible', async () => {
  await open('/overview')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [360, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect.soft(await misfits(page), `${colorScheme}, ${width}`).toEqual([])
    }
    expect.soft(await violations(page), colorScheme).toEqual([])
  }
})
