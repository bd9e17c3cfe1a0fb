import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from './support/call.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { giveKey, settled } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { visit } from './support/visit.ts'

let browser: Browser
let server: ConsoleServer

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const REFUSED = /status of 401|status of 403/

story('the link that the start prints signs in once', async () => {
  await using first = await visit(browser, { origins: [server.url] })
  first.expectTroubles(REFUSED)
  await first.page.goto(server.signInLink)
  await settled(first.page)
  expect(first.page.url()).not.toContain('link=')

  await using second = await visit(browser, { origins: [server.url] })
  second.expectTroubles(REFUSED)
  await second.page.goto(server.signInLink)
  await expectText(second.page.getByRole('alert'), /used already/)
  expect(await second.page.getByLabel('API key', { exact: true }).isVisible()).toBe(true)
})

story(
  'a key that is not valid is refused beside its field, and nothing is kept of one that is',
  async () => {
    await using reader = await visit(browser, { origins: [server.url] })
    const { page } = reader
    reader.expectTroubles(REFUSED)
    await page.goto(`${server.url}/console/webhooks`)
    await giveKey(page, 'phk_nothing')
    await expectText(page.getByRole('alert'), /key/i)
    await giveKey(page, server.token)
    await settled(page)
    expect(new URL(page.url()).pathname).toBe('/console/webhooks')
    const readable = await page.evaluate<string>(
      'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    )
    expect(readable).not.toMatch(/phk_|posthorn_session/)
  },
)

story(
  'a key that is revoked ends the session with a reason, and signing in leads back to the same page',
  async () => {
    const { createdApiKey } = await call<{
      createdApiKey: { token: string; apiKey: { id: string } }
    }>(
      server,
      'createApiKey',
      { input: ['CreateApiKeyInput!', { scopes: ['webhooks:read', 'deliveries:read'] }] },
      'createdApiKey { token apiKey { id } }',
    )
    await using reader = await visit(browser, { origins: [server.url] })
    const { page } = reader
    reader.expectTroubles(REFUSED)
    await page.goto(`${server.url}/console/deliveries?state=EXHAUSTED`)
    await giveKey(page, createdApiKey.token)
    await settled(page)
    await call(server, 'revokeApiKey', { id: ['ID!', createdApiKey.apiKey.id] })
    // What follows the deliveries is cut off, so nobody has to click to find out.
    await page.getByText('Your session has ended').waitFor()
    await page.getByText(/API key .*(revoked|expired)/).waitFor()
    await giveKey(page, server.token)
    await settled(page)
    expect(page.url()).toBe(`${server.url}/console/deliveries?state=EXHAUSTED`)
  },
)

story('a session that ended while its page was only looked at is told of too', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectTroubles(REFUSED)
  await page.goto(`${server.url}/console/live`)
  await settled(page)
  await using database = await server.openDatabase()
  await database.pool.query('delete from posthorn.sessions')
  await page.getByLabel('API key', { exact: true }).waitFor({ timeout: 45_000 })
})

story('signing out leaves nothing behind: going back shows the sign-in', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectTroubles(REFUSED)
  await page.goto(`${server.url}/console/webhooks`)
  await settled(page)
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('API key', { exact: true }).waitFor()
  await page.goto(`${server.url}/console/webhooks`)
  await page.getByLabel('API key', { exact: true }).waitFor()
  const cookies = await page.context().cookies()
  expect(cookies.map(({ name }) => name)).toEqual([])
})

story('who cannot sign out, as the server is away, is told so and stays signed in', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  reader.expectTroubles(/ERR_FAILED/)
  await page.goto(`${server.url}/console/webhooks`)
  await settled(page)
  await page.route('**/console/session', (route) => route.abort())
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('you are still signed in').waitFor()
  expect(await page.getByRole('heading', { name: 'Webhooks', exact: true }).isVisible()).toBe(true)
})

async function expectText(
  found: { textContent(): Promise<string | null> },
  pattern: RegExp,
): Promise<void> {
  await expect.poll(async () => await found.textContent()).toMatch(pattern)
}
