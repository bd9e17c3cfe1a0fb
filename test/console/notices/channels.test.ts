import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from '../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { type Visit, visit } from '../support/visit.ts'

let browser: Browser
let server: ConsoleServer
let operator: Visit
let page: Page

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  operator = await visit(browser, { origins: [server.url], signedInTo: server })
  page = operator.page
})
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const channels = (of: Page = page) => of.getByRole('region', { name: 'Channels' })
const dialog = () => page.getByRole('dialog')

async function tokenWith(scopes: string[]): Promise<string> {
  const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
    server,
    'createApiKey',
    { input: ['CreateApiKeyInput!', { name: 'Limited', scopes }] },
    'createdApiKey { token }',
  )
  return createdApiKey.token
}

async function webhooks() {
  const { webhooks } = await server.graphql<{ webhooks: { nodes: Webhook[] } }>(
    '{ webhooks { nodes { url description enabled subscriptions template rateLimitPerSecond } } }',
  )
  return webhooks.nodes
}

interface Webhook {
  readonly url: string
  readonly description: string
  readonly enabled: boolean
  readonly subscriptions: string[]
  readonly template: string
  readonly rateLimitPerSecond: number
}

story('without operational events, only an operator can add a channel', async () => {
  const signedInTo = {
    url: server.url,
    token: await tokenWith(['webhooks:read', 'webhooks:write']),
  }
  await using other = await visit(browser, { origins: [server.url], signedInTo })
  await other.page.goto(`${server.url}/console/notices`)
  await waitUntilLoaded(other.page)
  await channels(other.page).getByText('has not switched operational events on').waitFor()
  expect(await other.page.getByRole('button', { name: 'Send to a channel' }).count()).toBe(0)
})

story('a URL that no webhook can have is rejected beside its field', async () => {
  await page.goto(`${server.url}/console/notices`)
  await waitUntilLoaded(page)
  await channels().getByText('No channels').waitFor()
  await channels().getByRole('button', { name: 'Send to a channel' }).click()
  await dialog().getByText('Saving switches operational events on').waitFor()
  await dialog().getByLabel('URL').fill('http://hooks.slack.com/services/1')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('Give one that begins with https://', { exact: false }).waitFor()
  expect(await webhooks()).toEqual([])
})

story('a URL makes a channel of Slack, and a test arrives in its form', async () => {
  await dialog().getByLabel('URL').fill(`${server.receiver.url}services/T0/B0/secret`)
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('Notices go to Slack').waitFor()
  server.receiver.answer = (response) => response.end('ok')
  await dialog().getByRole('button', { name: 'Send a test' }).click()
  await dialog().getByText('Delivered').waitFor()
  const { body } = await server.receiver.arrival(1)
  const message = JSON.parse(body.toString())
  expect(message.text).toBe('posthorn.webhook.on_hold')
  expect(JSON.stringify(message.blocks)).toContain('is on hold')
  expect(await webhooks()).toMatchObject([
    {
      description: 'Notices in Slack',
      enabled: true,
      rateLimitPerSecond: 1,
      subscriptions: expect.arrayContaining([
        ...['posthorn.webhook.on_hold', 'posthorn.webhook.recovered'],
        'posthorn.delivery.exhausted',
      ]),
    },
  ])
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
  await dialog().waitFor({ state: 'hidden' })
  await channels()
    .getByRole('link', { name: /^Slack/ })
    .waitFor()
})

story('PagerDuty takes an integration key, and a wrong one is refused', async () => {
  await channels().getByRole('button', { name: 'Send to a channel' }).click()
  await dialog().getByLabel('Send to').click()
  await page.getByRole('option', { name: 'PagerDuty' }).click()
  await dialog().getByLabel('Integration key').fill('short')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('An integration key has 32 letters and digits.').waitFor()
  const key = 'R0123456789abcdefghijklmnopqrstu'
  await dialog().getByLabel('Integration key').fill(key)
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().getByText('Notices go to PagerDuty').waitFor()
  const created = (await webhooks()).find(({ url }) => url.includes('pagerduty'))
  expect(created?.url).toBe('https://events.pagerduty.com/v2/enqueue')
  expect(JSON.parse(created?.template ?? '').routing_key).toBe(key)
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
  await dialog().waitFor({ state: 'hidden' })
})

story(
  'a channel that rejects a message says what it answered, and its name leads to its webhook',
  async () => {
    server.receiver.answer = (response) => response.writeHead(404).end('channel_not_found')
    const row = channels().getByRole('row', { name: /Slack/ })
    await row.getByRole('button', { name: 'Send a test' }).click()
    await dialog().getByRole('button', { name: 'Send a test' }).click()
    await dialog().getByText('channel_not_found').waitFor()
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog().waitFor({ state: 'hidden' })
    await channels()
      .getByRole('link', { name: /^Slack/ })
      .click()
    await page.getByRole('heading', { name: 'Notices in Slack' }).waitFor()
  },
)

story('a reader sees the channels, and changes nothing', async () => {
  const signedInTo = { url: server.url, token: await tokenWith(['webhooks:read']) }
  await using other = await visit(browser, { origins: [server.url], signedInTo })
  await other.page.goto(`${server.url}/console/notices`)
  await waitUntilLoaded(other.page)
  await channels(other.page)
    .getByRole('link', { name: /^Slack/ })
    .waitFor()
  for (const name of ['Send to a channel', 'Send a test']) {
    expect(await other.page.getByRole('button', { name }).count(), name).toBe(0)
  }
})
