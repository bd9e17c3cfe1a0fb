import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from '../../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../../support/console-server.ts'
import { open } from '../../support/navigate.ts'
import { portalUrl } from '../../support/portal-url.ts'
import { waitUntilLoaded } from '../../support/sign-in.ts'
import { story, storyBrowser } from '../../support/story.ts'
import { violations } from '../../support/violations.ts'
import { visit } from '../../support/visit.ts'
import { CATALOGUE, orderOf } from './catalogue.ts'

/** A customer of the host application chooses the fields of its endpoint in the portal. */
const SCOPES = ['webhooks:read', 'webhooks:write', 'deliveries:read']

let browser: Browser
let server: ConsoleServer
let webhookId: string

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  for (const input of CATALOGUE) {
    await call(server, 'createEventType', { input: ['CreateEventTypeInput!', input] })
  }
  const input = { url: server.receiver.url, enabled: true, eventSubscriptions: ['order.paid'] }
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', input] },
    'webhook { id }',
  )
  webhookId = webhook.id
  await call(server, 'publishEvent', {
    input: ['PublishEventInput!', { type: 'order.paid', data: orderOf('A-1') }],
  })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

async function openForm(scopes: readonly string[]) {
  const reader = await visit(browser, { origins: [server.url] })
  const { page } = reader
  await page.goto(await portalUrl(server, { scopes, webhookId }))
  await waitUntilLoaded(page)
  await open(page, `/portal/webhooks/${webhookId}/edit`)
  return { reader, page, body: page.getByRole('region', { name: 'Body', exact: true }) }
}

story('in the portal, fields are chosen, the body of a real event is seen, and saved', async () => {
  const { reader, page, body } = await openForm([...SCOPES, 'events:read'])
  await using _ = reader
  await body.getByRole('radio', { name: 'Chosen fields' }).check()
  const text = body.getByRole('textbox', { name: 'Selection in GraphQL' })
  await text.fill('{ ... on OrderPaid { order { total } } }')
  await body.getByText('The body of a real event').waitFor()
  await body.getByText('12.5').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Endpoint saved.').or(page.getByText('Webhook saved.')).waitFor()
  await call(server, 'publishEvent', {
    input: ['PublishEventInput!', { type: 'order.paid', data: orderOf('A-2') }],
  })
  const arrived = await server.receiver.arrival(2)
  expect(JSON.parse(arrived.body.toString()).data).toEqual({ order: { total: 12.5 } })
})

story(
  'without the scope events:read, the form says that there is no trial, and checks',
  async () => {
    const { reader, page, body } = await openForm(SCOPES)
    await using _ = reader
    await body.getByRole('radio', { name: 'Chosen fields' }).check()
    await body.getByText('You may not read events').waitFor()
    const text = body.getByRole('textbox', { name: 'Selection in GraphQL' })
    await text.fill('{ ... on OrderPaid { color } }')
    await page.getByRole('button', { name: 'Save' }).click()
    await body.getByText(/^Line 1, column 22: .*color/).waitFor()
  },
)
