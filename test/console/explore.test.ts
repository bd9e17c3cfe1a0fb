import { readdir } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { EXAMPLES } from '../graphql/support/document.ts'
import { createWebhooks } from './seed.ts'
import { call, testDelivery } from './support/call.ts'
import { JOINED } from './support/catalogue.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

/* A visit fails its test for a request to another origin, and for a violation of the Content-Security-Policy. */
let browser: Browser
let server: ConsoleServer
let webhookId: string
/** The stories share a page: Explore is the largest to load. */
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  webhookId = (await createWebhooks(server)).boxOffice
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  // Of tokens that the server rejects.
  reader.expectPageErrors(/status of 401/)
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story(
  'a browser that opens /graphql gets Explore, where an example runs by the session',
  async () => {
    const { page } = reader
    await page.goto(`${server.url}/graphql`)
    expect(page.url()).toBe(`${server.url}/console/explore`)
    await waitUntilLoaded(page)
    await execute(page)
    await expectResponse(page, '"name": "My organization"')
    expect(await stored(page, 'localStorage')).toBe('{}')
  },
)

story('each file of docs/examples/graphql is a tab', async () => {
  const page = await explore()
  const tabs = page.locator('.graphiql-tab-button')
  await expect.poll(() => tabs.count()).toBe((await readdir(EXAMPLES)).length)
  expect(await tabs.allTextContents()).toEqual(
    expect.arrayContaining(['Overview', 'Webhooks', 'PublishEvent', 'AttemptRecorded']),
  )
  await tabs.filter({ hasText: 'Webhooks' }).click()
  // The button opens a menu as soon as GraphiQL has read the operations of the tab.
  await page.locator('.graphiql-execute-button[aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: 'Webhooks', exact: true }).click()
  await expectResponse(page, 'https://old.example/webhooks')
})

story('the other graph has the events of the catalogue, with examples of its own', async () => {
  const page = await explore()
  await page.getByRole('radiogroup', { name: 'Graph' }).getByText('Events', { exact: true }).click()
  await page.locator('.graphiql-tab-button', { hasText: 'FollowEvents' }).waitFor()
  await write(page, 'query OfEvents { __type(name: "EventAttendeeJoinedEvent") { name } }')
  await execute(page)
  await expectResponse(page, '"name": "EventAttendeeJoinedEvent"')
  await write(page, 'query Wrong { webhooks { nodes { id } } }')
  await page.locator('.graphiql-query-editor .squiggly-error').waitFor()
  await page.getByRole('radiogroup', { name: 'Graph' }).getByText('API', { exact: true }).click()
  await page.locator('.graphiql-tab-button', { hasText: 'Webhooks' }).waitFor()
})

story('an operation is checked against the schema while it is written', async () => {
  const page = await explore()
  await write(page, 'query Written { nothing }')
  await page.locator('.graphiql-query-editor .squiggly-error').waitFor()
  await write(page, 'query Written { viewer { scopes } }')
  await page.locator('.graphiql-query-editor .squiggly-error').waitFor({ state: 'detached' })
})

story('operations run by a token that is typed into the page, and nothing stores it', async () => {
  const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
    server,
    'createApiKey',
    { input: ['CreateApiKeyInput!', { scopes: ['events:publish'] }] },
    'createdApiKey { token }',
  )
  const page = await explore()
  await write(page, 'query ByToken { viewer { scopes } }')
  await page.getByText('Another token').click()
  const field = page.getByLabel('API key or portal token')
  await field.fill(createdApiKey.token)
  await execute(page)
  await expectResponse(page, '"events:publish"')
  expect(await responseText(page)).not.toContain('admin')

  for (const wrong of ['phk_nothing', '']) {
    await field.fill(wrong)
    await execute(page)
    await expectResponse(page, 'UNAUTHENTICATED')
  }
  await page.getByText('My session').click()
  await execute(page)
  await expectResponse(page, '"admin"')

  expect(await stored(page, 'localStorage')).toBe('{}')
  expect(await stored(page, 'sessionStorage')).toContain('viewer')
  expect(await stored(page, 'sessionStorage')).not.toContain('phk_')
})

story('a subscription shows events until the reader leaves the page', async () => {
  const page = await explore()
  const ended = page.waitForEvent('requestfailed', (request) => isStream(request.headers()))
  await write(page, 'subscription Shown { attemptRecorded { delivery { eventType { name } } } }')
  const opened = page.waitForResponse((response) => isStream(response.request().headers()))
  await execute(page)
  expect((await opened).status()).toBe(200)
  await testDelivery(server, webhookId, JOINED)
  await expectResponse(page, JOINED)
  await page.getByRole('link', { name: 'Event types' }).click()
  await ended
})

story('a subscription that the server rejects shows why', async () => {
  const page = await explore()
  await write(page, 'subscription Rejected { attemptRecorded(webhookId: "wh_nothing") { id } }')
  await execute(page)
  await expectResponse(page, 'webhookId must')
  await page.getByText('Another token').click()
  await page.getByLabel('API key or portal token').fill('phk_nothing')
  await execute(page)
  await expectResponse(page, 'The API key is malformed.')
  await page.getByText('My session').click()
})

story('on a phone, the response is below the operation', async () => {
  const page = await explore()
  await page.setViewportSize({ width: 360, height: 740 })
  const boxOf = async (name: string) => await page.locator(name).boundingBox()
  await expect
    .poll(
      async () => {
        const operation = await boxOf('.graphiql-query-editor')
        const response = await boxOf('.graphiql-response')
        if (!operation || !response) return false
        const isBelow = response.y >= operation.y + operation.height
        return isBelow && Math.min(operation.width, response.width) > 300
      },
      { timeout: 15_000 },
    )
    .toBe(true)
  await page.setViewportSize({ width: 1280, height: 800 })
})

story('the documentation of the schema is accessible in both color schemes', async () => {
  const page = await explore()
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await page.getByText('All reads.').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page), colorScheme).toEqual([])
  }
})

story('tabs and history survive a reload, and signing out deletes them', async () => {
  const page = await explore()
  await write(page, 'query Kept { __typename }')
  await execute(page)
  await expectResponse(page, '"Query"')
  // GraphiQL saves the tabs half a second after a change.
  await expect.poll(() => stored(page, 'sessionStorage')).toMatch(/title\W+Kept/)
  await page.reload()
  await page.locator('.graphiql-tab-button', { hasText: 'Kept' }).waitFor()
  await page.getByRole('button', { name: 'Show History' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Kept' }).first().waitFor()
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('API key', { exact: true }).waitFor()
  expect(await stored(page, 'sessionStorage')).toBe('{}')
  expect(await stored(page, 'localStorage')).toBe('{}')
})

/** The page that the stories share. */
async function explore(): Promise<Page> {
  const { page } = reader
  if (page.url() !== `${server.url}/console/explore`) {
    await page.goto(`${server.url}/console/explore`)
    await waitUntilLoaded(page)
  }
  return page
}

/** Replaces the operation in the open tab by one with another name. */
async function write(page: Page, operation: string): Promise<void> {
  await page.locator('.graphiql-query-editor textarea').focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(operation)
  const [, name = ''] = operation.split(/\W/)
  // GraphiQL reads the name of the operation a moment later.
  await page.locator('.graphiql-tab-active', { hasText: name }).waitFor()
}

/** GraphiQL ignores the button until both editors are there. */
async function execute(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor()
  await page.locator('.result-window .view-line').first().waitFor({ state: 'attached' })
  await page.getByRole('button', { name: /Execute/ }).click()
}

/** The response without white space: the editor wraps its lines. */
async function responseText(page: Page): Promise<string> {
  const text = await page.locator('.result-window .view-lines').textContent()
  return (text ?? '').replaceAll(/\s/g, '')
}

async function expectResponse(page: Page, part: string): Promise<void> {
  await expect
    .poll(() => responseText(page), { timeout: 15_000 })
    .toContain(part.replaceAll(' ', ''))
}

async function stored(page: Page, storage: 'localStorage' | 'sessionStorage'): Promise<string> {
  return await page.evaluate<string>(`JSON.stringify(${storage})`)
}

function isStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['accept'] === 'text/event-stream'
}
