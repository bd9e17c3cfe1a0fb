import { beforeEach, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'

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
