import type { Browser, FrameLocator } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { call, testDelivery, untilDelivery } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { type HostPage, openHostPage } from './support/host-page.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

let browser: Browser
let host: HostPage
let server: ConsoleServer
let mine: string
let other: string

beforeAll(async () => {
  browser = await storyBrowser()
  host = await openHostPage()
  server = await startConsoleServer({ environment: { POSTHORN_PORTAL_ORIGINS: host.origin } })
  mine = await createWebhook('mine', JOINED)
  other = await createWebhook('other', TICKET)
  for (const [id, type] of [
    [mine, JOINED],
    [other, TICKET],
  ] as const) {
    const delivery = await testDelivery(server, id, type)
    await untilDelivery(server, delivery, (one) => one.state === 'SUCCEEDED', 'it is delivered')
  }
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
})

story('an allowed origin frames the portal with its organization, scopes and theme', async () => {
  await using reader = await framed(host, await portalUrl({ scopes: READ_SCOPES }))
  const portal = reader.page.frameLocator('iframe')
  await portal.getByRole('heading', { level: 1 }).waitFor()
  const pages = portal.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await portal.getByText(`${server.receiver.url}mine`).first().waitFor()
  await portal.getByText(`${server.receiver.url}other`).first().waitFor()

  // The portal hides what its scopes do not allow.
  expect(await portal.getByText('Create webhook').count()).toBe(0)
  for (const hidden of ['API keys', 'Audit log', 'Organizations', 'Jobs']) {
    expect(await pages.getByRole('link', { name: hidden, exact: true }).count(), hidden).toBe(0)
  }
  await expectScheme(portal, 'dark')
  // No server, log or host page can see the token in a URL.
  const frame = reader.page.frames().find((each) => each.url().includes('/portal'))
  expect(frame?.url()).not.toContain('phk_')
})

story('a portal restricted to one webhook shows no other, at any URL', async () => {
  const url = await portalUrl({ scopes: READ_SCOPES, webhookId: mine })
  await using reader = await framed(host, url)
  const portal = reader.page.frameLocator('iframe')
  await portal.getByRole('heading', { name: `${server.receiver.url}mine`, level: 1 }).waitFor()
  const pages = portal.getByRole('navigation', { name: 'Pages' })
  expect(await pages.count()).toBe(0)
  expect(await portal.getByRole('navigation', { name: 'Breadcrumbs' }).count()).toBe(0)
  await portal.getByRole('link', { name: JOINED }).first().click()
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).waitFor()
  // Pages of the whole organization are hidden.
  for (const wide of ['Overview', 'Webhooks', 'Events']) {
    expect(await pages.getByRole('link', { name: wide, exact: true }).count(), wide).toBe(0)
  }
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).click()
  const rows = portal.getByRole('row')
  await rows.filter({ hasText: JOINED }).first().waitFor()
  expect(await rows.filter({ hasText: TICKET }).count()).toBe(0)
  // The tab of the webhook leads back to it.
  await pages.getByRole('link', { name: 'Webhook', exact: true }).click()
  await portal.getByText(`${server.receiver.url}mine`).first().waitFor()
  await expect.poll(() => pages.count()).toBe(0)
  const frame = reader.page.frames().find((each) => each.url().includes('/portal'))
  await frame?.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/portal/webhooks/${other}`)
  await portal.getByText('This webhook does not exist').waitFor()
  expect(await portal.getByText(`${server.receiver.url}other`).count()).toBe(0)
})

story('an ended portal session says so, and how to return', async () => {
  const { id, url } = await portalSession({ scopes: READ_SCOPES })
  await call(server, 'revokeApiKey', { id: ['ID!', id] })
  await using reader = await framed(host, url, /status of 401/)
  await reader.page.frameLocator('iframe').getByText('This session has ended').waitFor()
})

story('other origins cannot frame the portal, and none can frame the console', async () => {
  await using stranger = await openHostPage()
  const portal = await portalUrl({ scopes: READ_SCOPES })
  await refusesFrame(stranger, portal)
  await refusesFrame(host, `${server.url}/console/`)
})

story.each([
  ['LIGHT', '#ffd43b'],
  ['DARK', '#ffd43b'],
  ['LIGHT', '#0b7a4b'],
  ['DARK', '#0b7a4b'],
])('the portal is accessible in the %s scheme with the host color %s', async (scheme, color) => {
  const theme = { primaryColor: color, colorScheme: scheme }
  const { url } = await portalSession({ scopes: [...READ_SCOPES, 'webhooks:write'], theme })
  await using reader = await visit(browser, { origins: [server.url] })
  await reader.page.goto(url)
  await waitUntilLoaded(reader.page)
  await reader.page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await reader.page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await waitUntilLoaded(reader.page)
  expect(await violations(reader.page)).toEqual([])
})

async function refusesFrame(by: HostPage, url: string): Promise<void> {
  await using reader = await framed(by, url, /frame-ancestors|X-Frame-Options/)
  const frames = () => reader.page.frames().map((frame) => frame.url())
  await expect.poll(frames).toContain('chrome-error://chromewebdata/')
  expect(await reader.page.frameLocator('iframe').getByRole('heading').count()).toBe(0)
}

const READ_SCOPES = ['webhooks:read', 'deliveries:read', 'events:read']

interface PortalInput {
  readonly scopes: readonly string[]
  readonly webhookId?: string
  readonly theme?: { readonly primaryColor: string; readonly colorScheme: string }
}

async function portalSession(input: PortalInput): Promise<{ id: string; url: string }> {
  const theme = { primaryColor: '#0b7a4b', colorScheme: 'DARK', ...input.theme }
  const { portalSession } = await call<{ portalSession: { id: string; url: string } }>(
    server,
    'createPortalSession',
    { input: ['CreatePortalSessionInput!', { ...input, theme }] },
    'portalSession { id url }',
  )
  return portalSession
}

async function portalUrl(input: PortalInput): Promise<string> {
  return (await portalSession(input)).url
}

async function framed(by: HostPage, url: string, expected = /^$/): Promise<Visit> {
  const reader = await visit(browser, { origins: [by.origin, server.url] })
  reader.expectPageErrors(expected)
  await reader.page.goto(by.framing(url))
  return reader
}

async function expectScheme(portal: FrameLocator, scheme: string): Promise<void> {
  const shown = () => portal.locator('html').getAttribute('data-mantine-color-scheme')
  await expect.poll(shown).toBe(scheme)
}

async function createWebhook(name: string, eventType: string): Promise<string> {
  const input = {
    url: `${server.receiver.url}${name}`,
    enabled: true,
    eventSubscriptions: [eventType],
  }
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', input] },
    'webhook { id }',
  )
  return webhook.id
}
