import type { Frame, Page } from 'playwright-core'

/** Submits the sign-in form. */
export async function submitApiKey(page: Page, token: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Waits until a page has its title and has loaded its data. */
export async function waitUntilLoaded(page: Page | Frame): Promise<void> {
  await page.locator('#main h1').waitFor()
  for (const unfinished of UNFINISHED) {
    await page.locator(unfinished).first().waitFor({ state: 'detached' })
  }
}

/** Waits until the page receives live updates: the server sends what happens from now on. */
export async function untilLive(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor()
}

const UNFINISHED = ['#main .ph-progress', '#main [aria-busy=true]', '#main .mantine-Skeleton-root']
