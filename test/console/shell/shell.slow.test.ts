import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { createWebhook, testDelivery } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { browser, openDesk, server, story } from '../support/desk.ts'
import { untilLive, waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'

let webhookId: string

openDesk(startConsoleServer)

beforeAll(async () => {
  webhookId = await createWebhook(server, {
    url: server.receiver.url,
    enabled: true,
    eventSubscriptions: [JOINED],
  })
})

const openPage = async (path: string, viewport = { width: 1280, height: 800 }) => {
  const reader = await visit(browser, { origins: [server.url], signedInTo: server, viewport })
  await reader.page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(reader.page)
  return reader
}

story('a new page moves the focus to its title, which a screen reader announces', async () => {
  await using reader = await openPage('/webhooks')
  const { page } = reader
  // The first page leaves the focus to the browser.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  const title = page.getByRole('heading', { level: 1, name: 'Deliveries' })
  await title.and(page.locator(':focus')).waitFor()
  await expect.poll(() => page.title()).toBe('Deliveries · Posthorn')
  await page.goBack()
  await page
    .getByRole('heading', { level: 1, name: 'Webhooks' })
    .and(page.locator(':focus'))
    .waitFor()
  // The name of a delivery is there only once its data are.
  const id = await testDelivery(server, webhookId, JOINED)
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/console/deliveries/${id}`)
  await page.getByRole('heading', { level: 1, name: JOINED }).and(page.locator(':focus')).waitFor()
})

story('the script of a page loads once the pointer is on its link', async () => {
  await using reader = await openPage('/webhooks')
  const { page } = reader
  const script = page.waitForRequest(/\/administration-[^/]+\.js$/)
  await page.getByRole('link', { name: 'Organizations', exact: true }).hover()
  await script
})

story('the menu follows the width of its box, and remembers the choice of the reader', async () => {
  await using reader = await openPage('/webhooks')
  const { page } = reader
  const menu = page.getByRole('navigation', { name: 'Pages' })
  const width = async () => (await menu.boundingBox())?.width
  await expect.poll(width).toBe(220)
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect.poll(width).toBe(60)
  // The icons keep their names.
  await menu.getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect.poll(width).toBe(220)
  await menu.getByRole('button', { name: 'Collapse menu' }).click()
  await expect.poll(width).toBe(60)
  await page.reload()
  await waitUntilLoaded(page)
  expect(await width()).toBe(60)
  await menu.getByRole('button', { name: 'Expand menu' }).click()
  await expect.poll(width).toBe(220)
})

story('in a narrow box, the keyboard reaches the actions of a page in a menu', async () => {
  await using reader = await openPage(`/webhooks/${webhookId}`, { width: 360, height: 740 })
  const { page } = reader
  await page.getByRole('button', { name: 'Send test event' }).waitFor()
  expect(await page.getByRole('button', { name: 'Disable' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Send test event' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const item = page.getByRole('menuitem', { name: 'Disable' })
  // The open menu takes the focus a moment later. Before, the button would get the key.
  await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowDown')
  await item.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Disable this webhook?').waitFor()
})

story('Back and a reload return to where the reader was on the page', async () => {
  const path = `/event-types/${JOINED}`
  await using reader = await openPage(path, { width: 1280, height: 400 })
  const { page } = reader
  await scrollTo(page, 300)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await expect.poll(() => scrollOf(page)).toBe(0)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: JOINED }).waitFor()
  await expect.poll(() => scrollOf(page)).toBe(300)
  await page.reload()
  await waitUntilLoaded(page)
  await expect.poll(() => scrollOf(page)).toBe(300)
})

async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate((to) => window.scrollTo(0, to), top)
  await expect.poll(() => scrollOf(page)).toBe(top)
}

const scrollOf = (page: Page) => page.evaluate(() => scrollY)

const UNREACHABLE =
  /ERR_CONNECTION_REFUSED|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|status of 50\d|dynamically imported module/

story(
  'a bar says that the server is unreachable and how old the data are, until it answers',
  async () => {
    await using reader = await openPage('/consumers')
    const { page } = reader
    reader.expectPageErrors(UNREACHABLE)
    const bar = page.getByRole('alert').filter({ hasText: /Figures as of \d\d:\d\d/ })
    expect(await bar.count()).toBe(0)
    await server.kill()
    await bar.waitFor()
    // The last data stay.
    await page.getByRole('heading', { level: 1, name: 'Consumers' }).waitFor()
    await server.start()
    await bar.waitFor({ state: 'detached' })
  },
)

story('a page reports that the server is unreachable, and recovers without a reload', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectPageErrors(UNREACHABLE)
  await page.goto(`${server.url}/console/overview`)
  await waitUntilLoaded(page)
  await server.kill()
  // Neither the data nor the script of this page was loaded before.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('alert').getByText('Posthorn is unreachable').waitFor()
  await page.getByText('Not loaded yet.').first().waitFor()
  await server.start()
  await page.getByText(new URL(server.receiver.url).host).first().waitFor({ timeout: 30_000 })
})

story(
  'a list of deliveries reports an interruption, and continues after the server restarts',
  async () => {
    await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
    const { page } = reader
    reader.expectPageErrors(UNREACHABLE)
    await page.goto(`${server.url}/console/webhooks/${webhookId}?tab=deliveries`)
    await untilLive(page)
    await waitUntilLoaded(page)
    const rows = page.locator('main tbody tr')
    const before = await rows.count()
    await testDelivery(server, webhookId, JOINED)
    await page.getByRole('button', { name: '1 new, show it' }).waitFor()
    await server.kill()
    await page.getByRole('status').filter({ hasText: 'Interrupted' }).waitFor()
    await server.start()
    await untilLive(page)
    await testDelivery(server, webhookId, JOINED)
    // Meanwhile the list can have been read again, with the first.
    await page.getByRole('button', { name: /^\d new, show/ }).click()
    await expect.poll(() => rows.count()).toBe(before + 2)
  },
)
