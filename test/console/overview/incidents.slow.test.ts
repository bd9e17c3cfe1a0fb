import type { Response } from 'playwright-core'
import { expect } from 'vitest'
import { type SeededServer, seedServer } from '../seed.ts'
import { open, openDesk, page, story } from '../support/desk.ts'

/* Accounting is on hold; two other webhooks are failing. */
let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})

const section = () => page.getByRole('region', { name: 'Incidents' })
const rowOf = (name: string) => section().getByRole('row').filter({ hasText: name })

/** Scripts, styles and the page itself, compressed, until it stands with its data. The chart comes after. */
const FIRST_LOAD_BYTES = 200_000
const OF_CHART = /attempt-bars/

story('the first load, with a month of statistics, is at most 200 KB', async () => {
  const responses: Response[] = []
  page.on('response', (response) => {
    const type = response.request().resourceType()
    const counts = ['document', 'script', 'stylesheet'].includes(type)
    if (counts && !OF_CHART.test(response.url())) responses.push(response)
  })
  await open('/overview')
  let total = 0
  for (const response of responses) {
    if (response.request().resourceType() !== 'document') {
      expect(await response.headerValue('content-encoding'), response.url()).toMatch(/^(br|gzip)$/)
    }
    total += (await response.request().sizes()).responseBodySize
  }
  expect(responses.length).toBeGreaterThan(4)
  expect(total).toBeLessThanOrEqual(FIRST_LOAD_BYTES)
})

story('a person acknowledges an incident, others see who, and it can be withdrawn', async () => {
  await open('/overview')
  await section().getByRole('button', { name: 'Acknowledge: Accounting' }).click()
  await page.getByText('Incident acknowledged.').waitFor()
  await expect.poll(() => rowOf('Accounting').innerText()).toContain('Acknowledged by')

  await open(`/webhooks/${seed.webhooks.ledger}`)
  await page.getByText(/Acknowledged by /).waitFor()
  await open(`/webhooks/${seed.webhooks.ledger}?tab=history`)
  const incidents = page.getByRole('region', { name: 'Incidents' })
  await incidents.getByText(/Acknowledged by /).waitFor()

  await open('/overview')
  await section().getByRole('button', { name: 'Withdraw acknowledgment: Accounting' }).click()
  await section().getByRole('button', { name: 'Acknowledge: Accounting' }).waitFor()
})

story('“why is it failing?” is answered by the overview, the list and the attempt', async () => {
  await open('/overview')
  const badges = rowOf('badges.example')
  await badges.getByText('404 · The receiver found nothing at this URL').waitFor()
  await badges.getByRole('link', { name: 'Recover deliveries: badges.example' }).waitFor()
  // The worst first, above the charts.
  const states = section().locator('tbody .ph-state')
  expect(await states.allInnerTexts()).toEqual(['On hold', 'Failing', 'Failing'])
  const chart = await page.getByRole('region', { name: 'Attempts over time' }).boundingBox()
  expect((await section().boundingBox())?.y).toBeLessThan(chart?.y ?? 0)

  // Two steps lead to the attempt.
  await badges.getByRole('link', { name: 'badges.example', exact: true }).click()
  await page.getByRole('link', { name: 'Show attempt' }).click()
  await page.getByText('HTTP status 404').first().waitFor()

  await open('/webhooks')
  const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('row')
  // Trouble comes first.
  await expect.poll(() => rows.nth(1).innerText()).toContain('On hold')
  expect(await rows.filter({ hasText: 'badges.example' }).innerText()).toContain('404 ·')
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('tickets')
  await expect.poll(() => rows.count()).toBe(2)
})

story('what waits is one click from its deliveries', async () => {
  await open('/overview')
  const waiting = page.getByRole('region', { name: 'What deliveries wait for' })
  await waiting.locator('div', { hasText: 'Next retry' }).last().getByRole('link').click()
  await page.waitForURL(/\/deliveries\?state=RETRYING/)
  await page.getByRole('cell', { name: 'Retrying' }).first().waitFor()
})
