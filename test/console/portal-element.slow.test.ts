import { readFile } from 'node:fs/promises'
import type { Frame, FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { JOINED } from '../support/factories.ts'
import { call, createWebhook } from './support/call.ts'
import { startConsoleServer } from './support/console-server.ts'
import { browser, openDesk, server, story } from './support/desk.ts'
import { type HostPage, openHostPage } from './support/host-page.ts'
import { portalSession } from './support/portal-url.ts'
import { subscribe } from './support/subscribe.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

let host: HostPage
let stranger: HostPage
let webhookId: string

openDesk(async () => {
  host = await openHostPage()
  const environment = { POSTHORN_PORTAL_ORIGINS: host.origin }
  return await startConsoleServer({ alsoEnds: host, environment })
})

beforeAll(async () => {
  stranger = await openHostPage()
  webhookId = await createWebhook(server)
})
afterAll(() => stranger?.[Symbol.asyncDispose]())

story('the portal in a frame has no header and no menu, and names its organization', async () => {
  await using reader = await shown((await session()).url)
  const portal = reader.page.frameLocator('iframe:not(#stranger)')
  await portal.getByRole('heading', { level: 1 }).waitFor()
  expect(await portal.getByRole('banner').count()).toBe(0)
  expect(await portal.getByText('Posthorn', { exact: true }).count()).toBe(0)
  const { viewer } = await server.graphql('{ viewer { organization { name } } }')
  await portal.getByText(viewer.organization.name, { exact: true }).waitFor()
})

story('the block of the guide shows the portal, if either of its scripts runs first', async () => {
  const guide = await readFile('docs/guides/portal.md', 'utf8')
  const [, block = ''] = /^```html\n(.*?)^```$/ms.exec(guide) ?? []
  const html = block.replace('https://webhooks.example.com', server.url)
  const [element = ''] = /^<script .*\n/.exec(html) ?? []
  const { url } = await session()
  host.answerSession(url)
  for (const written of [html, html.slice(element.length) + element]) {
    await using reader = await visit(browser, { origins: [host.origin, server.url] })
    await reader.page.goto(host.withHtml(written))
    const portal = reader.page.frameLocator('iframe')
    await portal.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
    const renewed = await reader.page.locator('#portal').evaluate(async (found) => {
      return await (found as unknown as { renew(): Promise<string> }).renew()
    })
    expect(renewed).toBe(url)
  }
})

const tabsOf = (portal: FrameLocator) =>
  portal.getByRole('navigation', { name: 'Pages' }).getByRole('link')

story('a session offers other pages, and the element others again', async () => {
  const { url } = await session({}, 3_600, ['DELIVERIES', 'OVERVIEW'])
  await using reader = await shown(url)
  const portal = reader.page.frameLocator('iframe:not(#stranger)')
  await portal.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  expect(await tabsOf(portal).allInnerTexts()).toEqual(['Overview', 'Deliveries'])
  await using other = await shown(url, /^$/, 'pages="events deliveries"')
  const second = other.page.frameLocator('iframe:not(#stranger)')
  await second.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  expect(await tabsOf(second).allInnerTexts()).toEqual(['Events', 'Deliveries'])
})

story('a link to the host page opens the portal at a webhook, and at no other path', async () => {
  const { url } = await session()
  for (const [path, heading] of [
    [`/webhooks/${webhookId}`, new URL(server.receiver.url).host],
    ['//example.com/webhooks', 'Endpoints'],
    ['/../console', 'Endpoints'],
  ]) {
    await using reader = await visit(browser, { origins: [server.url, host.origin] })
    await reader.page.goto(`${host.withElement(url)}#posthorn=${path}`)
    const portal = reader.page.frameLocator('iframe:not(#stranger)')
    await portal.getByRole('heading', { name: heading as string, level: 1 }).waitFor()
  }
})

story('the colors and the padding are those of the session, or of the element', async () => {
  const theme = { colorScheme: 'LIGHT', backgroundColor: '#fff8e7', foregroundColor: '#3b2f1e' }
  const look = async (reader: Visit) => {
    await reader.page
      .frameLocator('iframe:not(#stranger)')
      .getByRole('heading', { name: 'Endpoints', level: 1 })
      .waitFor()
    const frame = await frameOf(reader)
    expect(await violations(frame)).toEqual([])
    return await frame.evaluate(() => {
      const box = document.querySelector('.ph-embedded') as Element
      const { backgroundColor, color } = getComputedStyle(document.body)
      return [backgroundColor, color, getComputedStyle(box).paddingLeft]
    })
  }
  await using first = await shown((await session(theme)).url)
  expect(await look(first)).toEqual(['rgb(255, 248, 231)', 'rgb(59, 47, 30)', '16px'])
  const { url } = await session({ ...theme, padding: 8 })
  await using second = await shown(url, /^$/, 'foreground="#101010" padding="32"')
  expect(await look(second)).toEqual(['rgb(255, 248, 231)', 'rgb(16, 16, 16)', '32px'])
  // What the server would reject is ignored.
  await using third = await shown(url, /^$/, 'background="url(x)" padding="65"')
  expect(await look(third)).toEqual(['rgba(0, 0, 0, 0)', 'rgb(59, 47, 30)', '4px'])
})

story('the frame is as high as its page, and no other origin can connect', async () => {
  await using reader = await shown((await session()).url)
  const portal = reader.page.frameLocator('iframe:not(#stranger)')
  await open(portal, 'Endpoints')
  const difference = async () => {
    const box = await reader.page.locator('iframe').boundingBox()
    const content = await portal
      .locator('.ph-embedded')
      .evaluate((element) => element.getBoundingClientRect().bottom)
    return Math.abs((box?.height ?? 0) - content)
  }
  await expect.poll(difference).toBeLessThan(2)
  await portal.getByRole('link', { name: 'Add endpoint' }).first().click()
  await portal.getByLabel(/^URL/).waitFor()
  await expect.poll(difference).toBeLessThan(2)
  const scrolls = await portal
    .locator('html')
    .evaluate((element) => element.scrollHeight - element.clientHeight)
  expect(scrolls).toBe(0)
})

story('a renewal keeps a half-filled form, also after the session has ended', async () => {
  const first = await session({}, 60)
  await using reader = await shown(first.url, /status of 401/)
  const { page } = reader
  const portal = page.frameLocator('iframe:not(#stranger)')
  await openForm(portal)
  const url = portal.getByLabel(/^URL/)
  await url.fill('https://example.com/half')
  await page.getByText('session-expiring').waitFor()
  await call(server, 'revokeApiKey', { id: first.id })
  await portal.getByRole('button', { name: 'Add endpoint' }).click()
  await portal.getByText('This session has ended').waitFor()
  await page.getByText('session-ended').waitFor()

  // Another frame of the page cannot renew the session.
  const second = await session()
  await renewFromAnotherFrame(page, second.url)
  // Neither can a URL of another origin.
  await renew(page, second.url.replace(server.url, stranger.origin))
  await renew(page, (await session()).url)
  await portal.getByText('This session has ended').waitFor({ state: 'detached' })
  expect(await url.inputValue()).toBe('https://example.com/half')
  await url.fill(`${server.receiver.url}renewed`)
  await portal.getByRole('button', { name: 'Add endpoint' }).click()
  await portal.getByText(`${server.receiver.url}renewed`).first().waitFor()
  expect(await lastUsed(second.id)).toBeNull()
})

async function frameOf({ page }: Visit): Promise<Frame> {
  const element = await page.locator('iframe:not(#stranger)').elementHandle()
  const frame = await element?.contentFrame()
  if (!frame) throw new Error('The portal has no frame.')
  return frame
}

async function openForm(portal: FrameLocator): Promise<void> {
  await open(portal, 'Endpoints')
  await portal.getByRole('link', { name: 'Add endpoint' }).first().click()
  await portal.getByLabel(/^URL/).waitFor()
  await subscribe(portal, JOINED)
}

async function open(portal: FrameLocator, name: string): Promise<void> {
  const pages = portal.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name, exact: true }).click()
  await portal.getByRole('heading', { name, level: 1 }).waitFor()
}

function renew(page: Page, url: string): Promise<void> {
  return page.locator('posthorn-portal').evaluate((element, url) => {
    ;(element as unknown as { renewWith(url: string): void }).renewWith(url)
  }, url)
}

/** A frame of another origin in the same page sends what only the host page may send. */
async function renewFromAnotherFrame(page: Page, url: string): Promise<void> {
  const empty = stranger.withHtml('')
  await page.evaluate((src) => {
    document.body.append(Object.assign(document.createElement('iframe'), { src, id: 'stranger' }))
  }, empty)
  await expect.poll(() => page.frame({ url: empty }) !== null).toBe(true)
  await page.frame({ url: empty })?.evaluate((url) => {
    window.parent.frames[0]?.postMessage({ type: 'posthorn:connect' }, '*')
    window.parent.frames[0]?.postMessage({ type: 'posthorn:renew', url }, '*')
  }, url)
}

async function lastUsed(id: string): Promise<string | null> {
  await using database = await server.openDatabase()
  const key = await database.prisma.apiKey.findUniqueOrThrow({
    where: { id: parseId('apiKey', id) as string },
  })
  return key.lastUsedAt?.toISOString() ?? null
}

const session = (theme: object = {}, ttlSeconds = 3_600, pages?: readonly string[]) =>
  portalSession(server, {
    scopes: ['webhooks:read', 'webhooks:write', 'deliveries:read', 'events:read'],
    ...{ theme, ttlSeconds, pages },
  })

async function shown(url: string, expected = /^$/, attributes = ''): Promise<Visit> {
  const reader = await visit(browser, { origins: [host.origin, stranger.origin, server.url] })
  reader.expectPageErrors(expected)
  await reader.page.goto(host.withElement(url, attributes))
  return reader
}
