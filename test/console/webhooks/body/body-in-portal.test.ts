import { beforeAll, expect } from 'vitest'
import { call, createWebhook } from '../../support/call.ts'
import { browser, openDesk, server, story } from '../../support/desk.ts'
import { open } from '../../support/navigate.ts'
import { portalUrl } from '../../support/portal-url.ts'
import { waitUntilLoaded } from '../../support/sign-in.ts'
import { violations } from '../../support/violations.ts'
import { visit } from '../../support/visit.ts'
import { createCatalogue, orderOf } from './catalogue.ts'

/** A customer of the host application chooses the fields of its endpoint in the portal. */
const SCOPES = ['webhooks:read', 'webhooks:write', 'deliveries:read']

let webhookId: string

openDesk()

beforeAll(async () => {
  await createCatalogue(server)
  const input = { url: server.receiver.url, enabled: true, eventSubscriptions: ['order.paid'] }
  webhookId = await createWebhook(server, input)
  await call(server, 'publishEvent', { input: { type: 'order.paid', data: orderOf('A-1') } })
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
  await expect.poll(() => text.inputValue()).toMatch(/on OrderPaid \{\s+order \{\s+id/)
  await text.fill('{ ... on OrderPaid { order { total } } }')
  await body.getByText('The body of a real event').waitFor()
  await body.getByText('12.5').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Endpoint saved.').or(page.getByText('Webhook saved.')).waitFor()
  await call(server, 'publishEvent', { input: { type: 'order.paid', data: orderOf('A-2') } })
  const arrived = await server.receiver.arrival(2)
  expect(JSON.parse(arrived.body.toString()).data).toEqual({ order: { total: 12.5 } })
})

story('without the scope events:read, the form says there is no trial, and checks', async () => {
  const { reader, page, body } = await openForm(SCOPES)
  await using _ = reader
  await body.getByRole('radio', { name: 'Chosen fields' }).check()
  await body.getByText('You may not read events').waitFor()
  const text = body.getByRole('textbox', { name: 'Selection in GraphQL' })
  await text.fill('{ ... on OrderPaid { color } }')
  await page.getByRole('button', { name: 'Save' }).click()
  await body.getByText(/line 1, column 22: .*color/).waitFor()
})
