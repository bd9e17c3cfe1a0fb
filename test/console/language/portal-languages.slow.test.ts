import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type SeededServer, seedServer } from '../seed.ts'
import { browser, openDesk, server, story } from '../support/desk.ts'
import { misfits } from '../support/layout.ts'
import { portalUrl } from '../support/portal-url.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { violations } from '../support/violations.ts'
import { visit } from '../support/visit.ts'

const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'deliveries:read',
  'deliveries:write',
  'events:read',
]
const TABS = ['/webhooks', '/deliveries', '/event-types']

let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})

story.each([
  ['de', 'Endpunkte', 'Zustellungen', ['Zustand', 'Wartet', 'Letzter Erfolg']],
  ['ja', 'エンドポイント', '配信', []],
])(
  'in %s, menu, titles and lists are translated',
  async (locale, endpoints, deliveries, columns) => {
    await using reader = await open(locale)
    const { page } = reader
    await page.getByRole('heading', { name: endpoints, level: 1 }).waitFor()
    for (const name of columns) await page.getByRole('columnheader', { name }).waitFor()
    await page.getByRole('link', { name: deliveries, exact: true }).click()
    await page.getByRole('heading', { name: deliveries, level: 1 }).waitFor()
    expect(await langOf(page)).toBe(locale)
  },
)

story('in German, everything fits a phone', async () => {
  await using reader = await open('de', { width: 360, height: 740 })
  for (const path of [...TABS, '/webhooks/new', 'ENDPOINT', 'DELIVERY'].map(filled)) {
    await reader.page.goto(`${server.url}/portal${path}`)
    await waitUntilLoaded(reader.page)
    expect(await misfits(reader.page), path).toEqual([])
    expect(await violations(reader.page), path).toEqual([])
  }
})

story('a number has its plural, and its signs of the region', async () => {
  await using reader = await open('de-DE')
  const { page } = reader
  await page.goto(`${server.url}/portal/deliveries`)
  await waitUntilLoaded(page)
  const rows = page.getByRole('row').getByRole('checkbox')
  await rows.nth(0).check()
  await page.getByRole('button', { name: 'Erneut zustellen' }).click()
  await page.getByText('1 Zustellung erneut zustellen?').waitFor()
  await page.keyboard.press('Escape')
  await rows.nth(1).check()
  await page.getByRole('button', { name: 'Erneut zustellen' }).click()
  await page.getByText('2 Zustellungen erneut zustellen?').waitFor()
})

story('without a locale, the portal has the language of the browser', async () => {
  await using reader = await open(undefined, { locale: 'pt-BR' })
  await reader.page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  await reader.page.getByRole('link', { name: 'Entregas', exact: true }).waitFor()
  expect(await langOf(reader.page)).toBe('pt')
})

story('in a language that it has not, the portal is English', async () => {
  await using reader = await open('xx', { locale: 'fr-FR' })
  await reader.page.getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
  expect(await langOf(reader.page)).toBe('en')
})

story('the console is English in a German browser, and loads no other language', async () => {
  await using reader = await visit(browser, {
    origins: [server.url],
    signedInTo: server,
    locale: 'de-DE',
  })
  const asked: string[] = []
  reader.page.on('request', (request) => asked.push(request.url()))
  await reader.page.goto(`${server.url}/console/webhooks`)
  await reader.page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(await langOf(reader.page)).toBe('en')
  expect(asked.filter((url) => /\/(de|fr|es|pt|ja)-[^/]*\.js/.test(url))).toEqual([])
})

async function open(
  locale: string | undefined,
  options: { width?: number; height?: number; locale?: string } = {},
) {
  const { width = 1280, height = 800, locale: ofBrowser = 'en-GB' } = options
  const reader = await visit(browser, {
    origins: [server.url],
    viewport: { width, height },
    locale: ofBrowser,
  })
  await reader.page.goto(await portalUrl(server, { scopes: SCOPES, ...(locale && { locale }) }))
  await waitUntilLoaded(reader.page)
  return reader
}

const langOf = (page: Page) => page.evaluate(() => document.documentElement.lang)

function filled(path: string): string {
  return path
    .replace('ENDPOINT', `/webhooks/${seed.webhooks.ledger}`)
    .replace('DELIVERY', `/deliveries/${seed.exhausted}`)
}
