import type { Frame, Page } from 'playwright-core'
import { waitUntilLoaded } from './sign-in.ts'

/** Opens a page of the console without a reload, as a link on the present page does, and waits until it is loaded. */
export async function open(page: Page | Frame, path: string): Promise<void> {
  const present = new URL(page.url())
  const { pathname } = new URL(path, present)
  // The title of a page goes with its path.
  if (pathname === present.pathname) await open(page, `${path.split('/', 2).join('/')}/elsewhere`)
  await page.evaluate((to) => {
    document.querySelector('#main h1')?.setAttribute('data-left', '')
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.locator('h1[data-left]').waitFor({ state: 'detached' })
  await waitUntilLoaded(page)
}
