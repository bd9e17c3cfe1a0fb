import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { MAX_STREAMS_PER_KEY } from '../../../src/streams/live/hub.ts'
import { startTcpProxy } from '../../faults/tcp-proxy.ts'
import { JOINED } from '../../support/factories.ts'
import { createKey, createWebhook, testDelivery, untilDelivery } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { browser, openDesk, server, story } from '../support/desk.ts'
import { untilLive, waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'

let webhookId: string

openDesk(startConsoleServer)

beforeAll(async () => {
  webhookId = await createWebhook(server, { enabled: true })
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
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  const title = page.getByRole('heading', { level: 1, name: 'Deliveries' })
  await title.and(page.locator(':focus')).waitFor()
  await expect.poll(() => page.title()).toBe('Deliveries · Posthorn')
  await page.goBack()
  await page
    .getByRole('heading', { level: 1, name: 'Events' })
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

story('the menu has the places that the viewer may see, and tabs have their pages', async () => {
  await using reader = await openPage('/settings')
  const { page } = reader
  const links = (name: string) =>
    page.getByRole('navigation', { name, exact: true }).getByRole('link')
  expect(new URL(page.url()).pathname).toBe('/console/event-types')
  expect(await links('Pages').allInnerTexts()).toEqual([
    ...['Overview', 'Webhooks', 'Events', 'Settings'],
  ])
  expect(await links('Settings').allInnerTexts()).toEqual([
    ...['Event types', 'Alerts', 'API keys', 'Portal', 'Jobs', 'Audit log', 'Organizations'],
  ])
  const token = await createKey(server, ['events:read'])
  await using other = await visit(browser, {
    origins: [server.url],
    signedInTo: { url: server.url, token },
  })
  await other.page.goto(`${server.url}/console`)
  await waitUntilLoaded(other.page)
  const pages = other.page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await pages.allInnerTexts()).toEqual(['Consumers', 'Events', 'Event types'])
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
  for (const _step of [1, 2, 3]) await page.keyboard.press('ArrowDown')
  await item.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Disable this webhook?').waitFor()
})

story('the account menu opens by the keyboard, and gives the focus back', async () => {
  await using reader = await openPage('/webhooks')
  const { page } = reader
  const button = page.getByRole('button', { name: 'Account and appearance' })
  // The script of the menu is loaded the first time.
  for (const _time of [1, 2]) {
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').locator(':focus').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  }
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

story('a page reports that the server is unreachable, and recovers without a reload', async () => {
  await using reader = await openPage('/overview')
  const { page } = reader
  reader.expectPageErrors(UNREACHABLE)
  await server.kill()
  // Neither the data nor the script of this page was loaded before.
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('alert').getByText('Posthorn is unreachable').waitFor()
  await page.getByText('Not loaded yet.').first().waitFor()
  await server.start()
  await page.getByText(new URL(server.receiver.url).host).first().waitFor({ timeout: 30_000 })
})

story('a page whose stream the server refuses says so, and never that it is live', async () => {
  const token = await createKey(server, ['admin'])
  await using _streams = await openStreams(token, MAX_STREAMS_PER_KEY)
  const signedInTo = { url: server.url, token }
  await using reader = await visit(browser, { origins: [server.url], signedInTo })
  const { page } = reader
  await page.clock.install()
  await page.addInitScript(`addEventListener('DOMContentLoaded', () =>
    new MutationObserver(() => (globalThis.wasLive ||= /\\bLive\\b/.test(document.body.innerText)))
      .observe(document.body, { subtree: true, childList: true, characterData: true }))`)
  let opened = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('subscription')) opened++
  })
  await page.goto(`${server.url}/console/deliveries`)
  const interrupted = page.getByRole('status').filter({ hasText: 'Interrupted' })
  await interrupted.waitFor()
  await page.clock.runFor(30_000)
  expect(opened).toBe(1)
  await page.clock.runFor(40_000)
  await expect.poll(() => opened).toBe(2)
  await interrupted.waitFor()
  expect(await page.evaluate('globalThis.wasLive')).toBe(false)
})

/** Streams of other programs with the same key. */
async function openStreams(token: string, count: number): Promise<AsyncDisposable> {
  const abort = new AbortController()
  const query = 'subscription { attemptRecorded { id } }'
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const responses: Response[] = []
  while (responses.length < count) {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: abort.signal,
    })
    expect(response.status).toBe(200)
    responses.push(response)
  }
  // Holds the responses: one that is collected ends its stream.
  return {
    [Symbol.asyncDispose]: async () => {
      expect(responses).toHaveLength(count)
      abort.abort()
    },
  }
}

const OFFLINE =
  /ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE|CONNECTION_CLOSED|SOCKET_NOT_CONNECTED)/

story('the page of a delivery shows how it finished while the network was away', async () => {
  await using network = await startTcpProxy(server.url)
  const url = new URL(network.url).origin
  const signedInTo = { url, token: server.token }
  await using reader = await visit(browser, { origins: [url], signedInTo })
  const { page } = reader
  reader.expectPageErrors(OFFLINE)
  let answer = () => {}
  server.receiver.answer = (response) => {
    answer = () => response.end()
  }
  const id = await testDelivery(server, webhookId, JOINED)
  await page.goto(`${url}/console/deliveries/${id}`)
  await waitUntilLoaded(page)
  await untilLive(page)
  network.disconnect()
  await page.getByRole('status').filter({ hasText: 'Interrupted' }).waitFor()
  server.receiver.answer = (response) => response.end()
  answer()
  await untilDelivery(server, id, ({ state }) => state === 'SUCCEEDED', 'the delivery succeeds')
  network.connect()
  await untilLive(page)
  await page.getByText('Succeeded').first().waitFor()
})
