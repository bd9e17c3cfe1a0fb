import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { SeededServer } from '../seed.ts'
import { pagesOf } from '../support/pages.ts'
import { portalUrl } from '../support/portal-url.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { type VisitOptions, visit } from '../support/visit.ts'

const FOLDER = path.join(import.meta.dirname, '../../../docs/images')
const WIDE = { width: 1280, height: 800 }
/** The pages whose screenshots the documentation shows. */
const SHOWN = ['overview', 'webhook', 'delivery', 'recover']

/** Takes the screenshots of the documentation: those of SHOWN, and the portal. */
export async function takeForDocs(browser: Browser, seed: SeededServer): Promise<void> {
  await inBrowser({ viewport: WIDE, signedInTo: seed.server }, async (page) => {
    for (const { name, path: at } of pagesOf(seed)) {
      if (!SHOWN.includes(name)) continue
      await page.goto(`${seed.server.url}/console${at}`)
      await waitUntilLoaded(page)
      await STEPS[name]?.(page)
      await take(page, name)
    }
  })
  await inBrowser({ viewport: { width: 900, height: 640 } }, async (page) => {
    const theme = { primaryColor: '#0b7a4b', colorScheme: 'LIGHT' }
    const scopes = ['webhooks:read', 'deliveries:read', 'events:read']
    const webhookId = seed.webhooks.boxOffice
    await page.goto(await portalUrl(seed.server, { scopes, webhookId, theme }))
    await waitUntilLoaded(page)
    await take(page, 'portal')
  })

  async function inBrowser(
    options: Omit<VisitOptions, 'origins'>,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    await using reader = await visit(browser, { ...options, origins: [seed.server.url] })
    reader.expectPageErrors(/status of 401/)
    await look(reader.page)
  }
}

async function take(page: Page, name: string): Promise<void> {
  const connecting = page.getByRole('status').filter({ hasText: /^Connecting/ })
  await connecting.waitFor({ state: 'hidden' })
  // Lets animations, such as those of charts, finish.
  await page.waitForTimeout(400)
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: 'disabled' })
  console.log(name)
}

/** Steps to take before a screenshot, by the name of the page. */
const STEPS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async delivery(page) {
    // Closes the last attempt, so that the picture has all of them.
    await page.getByRole('button', { name: /Attempt 3/ }).click()
  },
  async recover(page) {
    const counted = page.getByRole('status').filter({ hasText: /deliver|nothing/ })
    await counted.waitFor()
  },
}
