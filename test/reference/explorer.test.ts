import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explorerFiles, explorerOperations, explorerPage } from '../../site/reference/explorer.ts'
import { findChromium, openBrowser, REMEDY } from '../console/browser.ts'
import { violations } from '../console/support/violations.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { leftOutFor } from '../support/left-out.ts'

const chromium = findChromium()

test('the explorer has each operation of the API, with the example of its body', () => {
  const operations = explorerOperations()
  expect(operations.map(({ method }) => method)).toEqual(
    expect.arrayContaining(['GET', 'POST', 'PUT', 'DELETE']),
  )
  const bodies = operations.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body)]))
  expect(bodies.length).toBeGreaterThan(1)
  expect(explorerFiles().get('explorer.js')).not.toMatch(/innerHTML|localStorage|eval\(/)
})

describe('in a browser', leftOutFor(chromium === null ? REMEDY : null), () => {
  let browser: Browser
  let posthorn: TestApp
  let page: Page
  let sent: { readonly method: string; readonly path: string }[]

  beforeAll(async () => {
    posthorn = await startTestApp({ role: 'api' })
    browser = await openBrowser(chromium as string)
    page = await open()
  })
  afterAll(async () => {
    await browser?.close()
    await posthorn?.[Symbol.asyncDispose]()
  })

  /** The page of the site, at the place where a server has it. */
  async function open(): Promise<Page> {
    const opened = await browser.newPage()
    sent = []
    opened.on('request', (request) => {
      const { origin, pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) sent.push({ method: request.method(), path: pathname })
      expect(origin).toBe(new URL(posthorn.app.url).origin)
    })
    const types = { js: 'text/javascript', css: 'text/css', json: 'application/json' }
    for (const [name, body] of explorerFiles()) {
      const contentType = types[name.split('.')[1] as keyof typeof types]
      await opened.route(`**/docs/${name}`, (route) => route.fulfill({ body, contentType }))
    }
    const [title = '', text = '', ...html] = explorerPage().split('\n\n')
    const body = `<!doctype html><html lang="en"><title>Explorer</title><main><h1>${title.slice(2)}</h1><p>${text}</p>${html.join('\n')}</main></html>`
    const contentType = 'text/html'
    await opened.route('**/docs/reference/explorer/', (route) =>
      route.fulfill({ body, contentType }),
    )
    await opened.goto(`${posthorn.app.url}/docs/reference/explorer/`)
    await opened.locator('#posthorn-explorer details').first().waitFor()
    return opened
  }

  const operation = (summary: string) =>
    page.locator('#posthorn-explorer details', { hasText: summary }).first()

  async function choose(summary: string) {
    const one = operation(summary)
    if ((await one.getAttribute('open')) === null) await one.locator('summary').click()
    return one
  }

  test('without a key nothing is sent, and the page says what is missing', async () => {
    const list = await choose('List the webhooks')
    await list.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => list.getByRole('status').textContent()).toContain('Fill in API key.')
    expect(sent).toEqual([])
  })

  test('a request that changes something is sent after a second click only', async () => {
    await page.getByLabel('API key').fill(posthorn.tenant.token)
    const create = await choose('Register a webhook')
    await create
      .getByLabel('Body')
      .fill(
        '{"url":"https://example.com/hooks","description":"<img src=x>","event_subscriptions":["event_attendee.joined_event"]}',
      )
    await create.getByRole('button', { name: 'Send', exact: true }).click()
    await create.getByRole('button', { name: 'Do not send' }).click()
    expect(sent).toEqual([])
    await create.getByRole('button', { name: 'Send', exact: true }).click()
    expect(await create.getByRole('status').textContent()).toContain('changes something')
    await create.getByRole('button', { name: 'Send the POST request' }).click()
    await expect.poll(() => create.getByRole('status').textContent()).toContain('201')
    expect(sent).toEqual([{ method: 'POST', path: '/api/connect/v1/webhooks' }])
  })

  test('a read is sent at once, and the answer is text', async () => {
    const list = await choose('List the webhooks')
    await list.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => list.getByRole('status').textContent()).toContain('<img src=x>')
    expect(await list.locator('img').count()).toBe(0)
    expect(await list.getByRole('status').textContent()).toMatch(/^200 OK/)
  })

  test('a wrong key gets the problem of the server', async () => {
    await page.getByLabel('API key').fill('phk_wrong')
    const list = await choose('List the webhooks')
    await list.getByRole('button', { name: 'Send', exact: true }).click()
    await expect
      .poll(() => list.getByRole('status').textContent())
      .toContain('urn:posthorn:problem:unauthenticated')
  })

  test('axe finds nothing, and the key is stored nowhere', async () => {
    expect(await violations(page)).toEqual([])
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(stored).toBe('[{},{},""]')
    await page.reload()
    await page.locator('#posthorn-explorer details').first().waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })
})
