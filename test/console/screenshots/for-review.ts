import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { SeededServer } from '../seed.ts'
import type { HostPage } from '../support/host-page.ts'
import { type ConsolePage, NOT_IN_PORTAL, pagesOf } from '../support/pages.ts'
import { portalUrl } from '../support/portal-url.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'
import { prepare } from './prepare.ts'
import { type State, stateOf } from './states.ts'

interface ReviewOptions {
  readonly host: HostPage
  /** Gets a folder for each look, with a picture of each page. */
  readonly folder: string
  /** Selects pages and looks by their names. */
  isPage(name: string): boolean
  isLook(name: string): boolean
}

/** Each state of the data on a screen and on a phone, in both color schemes, and full ones also on a tablet. */
const LOOKS: readonly [State, width: number, 'light' | 'dark'][] = [
  ['full', 1440, 'light'],
  ['full', 1440, 'dark'],
  ['full', 768, 'dark'],
  ['full', 360, 'light'],
  ['full', 360, 'dark'],
  ['empty', 1440, 'light'],
  ['empty', 360, 'dark'],
  ['loading', 1440, 'light'],
  ['loading', 360, 'dark'],
  ['failing', 1440, 'dark'],
  ['failing', 360, 'light'],
  ['offline', 1440, 'light'],
  ['offline', 360, 'dark'],
]

const FRAME_WIDTH = 1_020

/** Takes every page in each look, and the portal in a frame. */
export async function takeForReview(
  browser: Browser,
  seed: SeededServer,
  { host, folder, isPage, isLook }: ReviewOptions,
): Promise<void> {
  const pages = pagesOf(seed).filter(({ name }) => isPage(name))
  for (const [state, width, colorScheme] of LOOKS) {
    const look = await folderOf(`${state}-${width}-${colorScheme}`)
    if (look === null) continue
    await using reader = await visit(browser, {
      origins: [seed.server.url],
      signedInTo: seed.server,
      viewport: { width, height: 900 },
      colorScheme,
    })
    reader.expectPageErrors(/Failed to load|ERR_/)
    const { addressOf, arrange, settle } = stateOf(state, seed)
    await arrange(reader.page)
    for (const each of pages) {
      const address = addressOf(each)
      if (address === null) continue
      await reader.page.goto(seed.server.url + address)
      await settle(reader.page)
      if (state === 'full') await prepare(reader.page, each.name, seed)
      await take(reader.page, look, each)
    }
    await reader.page.unrouteAll({ behavior: 'ignoreErrors' })
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    const look = await folderOf(`framed-${FRAME_WIDTH}-${colorScheme}`)
    if (look === null) continue
    await using reader = await visit(browser, {
      origins: [host.origin, seed.server.url],
      viewport: { width: 1440, height: 900 },
      colorScheme,
    })
    const scopes = ['webhooks', 'deliveries', 'secrets', 'events'].map((noun) => `${noun}:read`)
    for (const each of pages.filter(({ name }) => !NOT_IN_PORTAL.includes(name))) {
      const url = new URL(await portalUrl(seed.server, { scopes }))
      url.pathname += each.path.split('?')[0] ?? ''
      url.search = each.path.split('?')[1] ?? ''
      await reader.page.goto(host.framing(url.href, FRAME_WIDTH))
      const frame = reader.page.frames().find((one) => one.url().includes('/portal'))
      if (frame) await waitUntilLoaded(frame)
      await take(reader.page, look, each)
    }
  }

  async function folderOf(look: string): Promise<string | null> {
    if (!isLook(look)) return null
    const at = path.join(folder, look)
    await mkdir(at, { recursive: true })
    console.log(at)
    return at
  }
}

const MAX_HEIGHT = 3_000

/** The whole page. `fullPage` would resize the window for a moment, and charts would follow. */
async function take(page: Page, folder: string, { name }: ConsolePage): Promise<void> {
  const viewport = page.viewportSize()
  if (!viewport) return
  const whole = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ ...viewport, height: Math.min(whole, MAX_HEIGHT) })
  // Lets the page paint what has just arrived.
  await page.waitForTimeout(200)
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: 'disabled' })
  await page.setViewportSize(viewport)
}
