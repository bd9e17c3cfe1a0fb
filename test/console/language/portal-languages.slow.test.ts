import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { createWebhook } from '../support/call.ts'
import { browser, openDesk, server, story } from '../support/desk.ts'
import { portalUrl } from '../support/portal-url.ts'
import { visit } from '../support/visit.ts'

openDesk()

beforeAll(async () => {
  await createWebhook(server)
})

story.each([
  ['de', 'Endpunkte', 'Zustellungen', ['Zustand', 'Wartet', 'Letzter Erfolg']],
  ['ja', 'エンドポイント', '配信', []],
])(
  'in %s, menu, titles and lists are translated',
  async (locale, endpoints, deliveries, columns) => {
    await using reader = await visit(browser, { origins: [server.url] })
    const { page } = reader
    const scopes = ['webhooks:read', 'deliveries:read']
    await page.goto(await portalUrl(server, { scopes, locale }))
    await page.getByRole('heading', { name: endpoints, level: 1 }).waitFor()
    for (const name of columns) await page.getByRole('columnheader', { name }).waitFor()
    await page.getByRole('link', { name: deliveries, exact: true }).click()
    await page.getByRole('heading', { name: deliveries, level: 1 }).waitFor()
    expect(await langOf(page)).toBe(locale)
  },
)

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

const langOf = (page: Page) => page.evaluate(() => document.documentElement.lang)
