import type { Browser, Page } from 'playwright-core'
import { inject, test } from 'vitest'
import { openBrowser } from '../browser.ts'
import { createKey } from './call.ts'
import { type ConsoleServer, forNewOrganization, startConsoleServer } from './console-server.ts'
import { waitUntilLoaded } from './sign-in.ts'
import { type Visit, visit } from './visit.ts'

/* What the stories of the file that runs share. `openDesk` sets it. */
export let browser: Browser
export let server: ConsoleServer
export let reader: Visit
export let page: Page

const atDesk = test
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from the pattern.
  .extend('chromium', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const opened = await openBrowser(inject('chromium') as string)
    onCleanup(() => opened.close())
    return opened
  })
  // biome-ignore lint/correctness/noEmptyPattern: As above.
  .extend('sharedServer', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const started = await startConsoleServer()
    onCleanup(() => started[Symbol.asyncDispose]())
    return started
  })

/** A test in a real browser. Skipped on a machine without one, as the setup reports. */
export const story = atDesk.skipIf(inject('chromium') === null)

/** Gives the stories of this file a browser, without a server. */
export function openBrowserForStories(): void {
  atDesk.beforeAll(({ chromium }) => {
    browser = chromium
  })
  atDesk.afterAll(() => Promise.all(browser.contexts().map((context) => context.close())))
}

/**
 * Opens the console for the stories of this file: by default a new organization on the server of this worker. A file
 * whose settings, catalogue or faults concern a whole server starts its own. The reader signs in with a key of these
 * scopes; null: not yet. After the stories, an error behind the page of the reader fails the file.
 */
export function openDesk(
  start?: () => Promise<ConsoleServer>,
  { scopes = ['admin'] }: { readonly scopes?: readonly string[] | null } = {},
): void {
  openBrowserForStories()
  if (start) {
    atDesk.beforeAll(async () => {
      server = await start()
    })
  } else {
    atDesk.beforeAll(async ({ sharedServer }) => {
      server = await forNewOrganization(sharedServer)
    })
  }
  atDesk.beforeAll(async () => {
    const token = scopes && (await createKey(server, scopes))
    const signedInTo = token && { url: server.url, token }
    reader = await visit(browser, { origins: [server.url], ...(signedInTo && { signedInTo }) })
    page = reader.page
  })
  atDesk.afterAll(async () => {
    await using _server = server
    await reader?.[Symbol.asyncDispose]()
  })
}

/** Opens a page of the console. */
export async function open(path: string): Promise<void> {
  await page.goto(`${server.url}/console${path}`)
  await waitUntilLoaded(page)
}
