import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { findChromium, openBrowser, REMEDY } from './browser.ts'
import { isBuilt } from './built-console.ts'
import { type SeededServer, seedServer } from './seed.ts'
import { call } from './support/call.ts'
import { pagesOf } from './support/pages.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { type VisitOptions, visit } from './support/visit.ts'

/** `npm run screenshots`: takes the screenshots of docs/console.md, on a temporary server. */
const FOLDER = path.join(import.meta.dirname, '../../docs/images')
const MAX_BYTES = 150 * 1_024

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 360, height: 740 }
const ALSO_DARK = ['overview', 'webhook', 'delivery']
const ALSO_NARROW = ['overview', 'webhooks', 'delivery']
/** Pages without a screenshot of their own. */
const LEFT_OUT = ['webhook-on-hold', 'webhook-deliveries', 'not-found', 'new-event-type']

/** Steps to take before a screenshot. */
const PREPARED: Readonly<Record<string, (page: Page, seed: SeededServer) => Promise<void>>> = {
  async live(page, { publish }) {
    for (let round = 0; round < 4; round++) {
      await publish(5)
      await page.waitForTimeout(600)
    }
  },
  async 'webhook-secret'(page) {
    await page.getByRole('button', { name: 'Show', exact: true }).first().click()
    await page
      .getByText(/^whsec_\w/)
      .first()
      .waitFor()
  },
  async explore(page) {
    await page.getByRole('button', { name: /Execute/ }).click()
    await page.locator('.result-window').getByText('Harvest Fair').waitFor()
  },
  async recover(page) {
    await page.getByRole('button', { name: 'Last hour' }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /deliver|nothing/ })
      .waitFor()
  },
}

const program = findChromium()
if (program === null) throw new Error(`There is no Chromium here. ${REMEDY}`)
if (!(await isBuilt()))
  throw new Error('The console is not built as it is now. Run: npm run build:console')
await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
await using seed = await seedServer()
const browser = await openBrowser(program)
const pages = pagesOf(seed).filter(({ name }) => !LEFT_OUT.includes(name))
const looks = [
  { suffix: '', names: pages.map(({ name }) => name), viewport: WIDE, colorScheme: 'light' },
  { suffix: '-dark', names: ALSO_DARK, viewport: WIDE, colorScheme: 'dark' },
  { suffix: '-narrow', names: ALSO_NARROW, viewport: NARROW, colorScheme: 'light' },
] as const
for (const { suffix, names, ...look } of looks) {
  await inBrowser({ ...look, signedInTo: seed.server }, async (page) => {
    for (const { name, path: at } of pages.filter((each) => names.includes(each.name))) {
      await page.goto(`${seed.server.url}/console${at}`)
      await waitUntilLoaded(page)
      await PREPARED[name]?.(page, seed)
      await take(page, `${name}${suffix}`)
    }
  })
}
await inBrowser({ viewport: WIDE }, async (page) => {
  await page.goto(`${seed.server.url}/console/`)
  await page.getByLabel('API key', { exact: true }).waitFor()
  await take(page, 'sign-in')
})
await inBrowser({ viewport: { width: 900, height: 640 } }, async (page) => {
  await page.goto(await portalUrl(seed))
  await waitUntilLoaded(page)
  await take(page, 'portal')
})
await browser.close()
await weigh()

async function inBrowser(
  options: Omit<VisitOptions, 'origins'>,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  await using reader = await visit(browser, { ...options, origins: [seed.server.url] })
  reader.expectPageErrors(/status of 401/)
  await look(reader.page)
}

async function take(page: Page, name: string): Promise<void> {
  // Lets animations, such as those of charts, finish.
  await page.waitForTimeout(400)
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: 'disabled' })
  console.log(name)
}

async function portalUrl({ server, webhooks }: SeededServer): Promise<string> {
  const input = {
    scopes: ['webhooks:read', 'deliveries:read', 'events:read'],
    webhookId: webhooks.boxOffice,
    theme: { primaryColor: '#0b7a4b', colorScheme: 'LIGHT' },
  }
  const { portalSession } = await call<{ portalSession: { url: string } }>(
    server,
    'createPortalSession',
    { input: ['CreatePortalSessionInput!', input] },
    'portalSession { url }',
  )
  return portalSession.url
}

async function weigh(): Promise<void> {
  for (const file of await readdir(FOLDER)) {
    const { size } = await stat(path.join(FOLDER, file))
    if (size > MAX_BYTES)
      console.warn(`${file} has ${size} bytes; at most ${MAX_BYTES} are wanted.`)
  }
}
