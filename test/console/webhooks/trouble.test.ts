import { expect } from 'vitest'
import { type SeededServer, seedServer } from '../seed.ts'
import { openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'

let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
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

story('a webhook on hold is probed or resumed from the overview; a refusal says why', async () => {
  await page.goto(`${server.url}/console/webhooks/${seed.webhooks.ledger}`)
  await waitUntilLoaded(page)
  await page.getByRole('heading', { name: 'Accounting' }).waitFor()
  await page.getByText(/Next probe/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Webhook resumed.').waitFor()
  await expect.poll(() => page.getByText(/Next probe/).count()).toBe(0)
})
