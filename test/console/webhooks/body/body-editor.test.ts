import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from '../../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../../support/console-server.ts'
import { misfits } from '../../support/layout.ts'
import { waitUntilLoaded } from '../../support/sign-in.ts'
import { story, storyBrowser } from '../../support/story.ts'
import { violations } from '../../support/violations.ts'
import { type Visit, visit } from '../../support/visit.ts'
import { CATALOGUE, orderOf } from './catalogue.ts'

/** A reader ticks the fields that a webhook sends, sees the body of a real event, and saves. */
const NARROW_PX = 360

let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page
let webhookId: string

const publish = (id: string) =>
  call(server, 'publishEvent', {
    input: ['PublishEventInput!', { type: 'order.paid', data: orderOf(id) }],
  })

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  for (const input of CATALOGUE) {
    await call(server, 'createEventType', { input: ['CreateEventTypeInput!', input] })
  }
  await publish('A-1')
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const body = () => page.getByRole('region', { name: 'Body', exact: true })
const trial = () => page.getByRole('region', { name: 'Trial of the body' })
const bodyText = () => trial().getByRole('region', { name: 'Body of order.paid' })
const settings = () => page.goto(`${server.url}/console/webhooks/${webhookId}?tab=settings`)

async function edit() {
  await page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(page)
}

async function save() {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Webhook saved.').waitFor()
}

const triedData = async () => JSON.parse((await bodyText().textContent()) ?? '{}').data

story('fields are chosen by ticking, the body of a real event is seen, and saved', async () => {
  await page.goto(`${server.url}/console/webhooks/new`)
  await waitUntilLoaded(page)
  await page.getByLabel('URL').fill(server.receiver.url)
  await page.getByRole('checkbox', { name: 'order.paid' }).check()
  await body().getByRole('radio', { name: 'Chosen fields' }).check()
  await body().getByText('No field chosen').waitFor()
  await body().getByRole('checkbox', { name: /^id / }).check()
  await body()
    .getByRole('checkbox', { name: /^total / })
    .check()
  await trial().getByText('The body of a real event').waitFor()
  await expect.poll(triedData).toEqual({ order: { id: 'A-1', total: 12.5 } })
  await body().getByText('2 fields').waitFor()
  // A member of a union, and an object as a whole.
  await body()
    .getByRole('checkbox', { name: /^If the value is .*Card/ })
    .check()
  await body()
    .getByRole('checkbox', { name: /^customer / })
    .check()
  await expect.poll(triedData).toEqual({
    order: { id: 'A-1', total: 12.5 },
    customer: { name: 'Ada', email: 'ada@example.com' },
    payment: { kind: 'card', last4: '4242' },
  })
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('region', { name: 'Signing secret' }).waitFor()
  webhookId = new URL(page.url()).pathname.split('/').at(-1) ?? ''

  await publish('A-2')
  const arrived = await server.receiver.arrival(1)
  expect(JSON.parse(arrived.body.toString()).data).toEqual({
    order: { id: 'A-2', total: 12.5 },
    customer: { name: 'Ada', email: 'ada@example.com' },
    payment: { kind: 'card', last4: '4242' },
  })
  await settings()
  await page.getByText('Fields of 1 event type').waitFor()
})

story('the keys of a tree move between the fields, and a search finds one', async () => {
  await edit()
  const customer = body().getByRole('checkbox', { name: /^customer / })
  await customer.focus()
  await page.keyboard.press('ArrowLeft')
  expect(
    await body()
      .getByRole('checkbox', { name: /^email / })
      .count(),
  ).toBe(0)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  expect(
    await body()
      .getByRole('checkbox', { name: /^email / })
      .isChecked(),
  ).toBe(false)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  expect(await customer.isChecked()).toBe(true)

  await body().getByLabel('Search fields of order.paid').fill('sku')
  await body().getByRole('checkbox', { name: /^sku / }).check()
  expect(await customer.count()).toBe(0)
  // What the search hides stays chosen.
  await body().getByText('7 fields').waitFor()
  await expect.poll(triedData).toMatchObject({
    order: { id: 'A-2', items: [{ sku: 'book' }] },
    customer: { name: 'Ada' },
  })
})

story(
  'a text that the list cannot show stays text, and one that it can returns to it',
  async () => {
    await edit()
    await body().getByText('GraphQL', { exact: true }).click()
    const text = body().getByRole('textbox', { name: 'Selection in GraphQL' })
    expect(await text.inputValue()).toContain('... on OrderPaid {')
    await text.fill('{ ... on OrderPaid { number: order { id } } }')
    await body().getByText('so it stays text').waitFor()
    await expect.poll(triedData).toEqual({ number: { id: 'A-2' } })
    await save()
    await edit()
    await body().getByText('so it stays text').waitFor()
    await text.fill('{ ... on OrderPaid { order { id } } }')
    await body().getByText('Fields', { exact: true }).click()
    expect(await body().getByRole('checkbox', { name: /^id / }).isChecked()).toBe(true)
  },
)

story('a selection that names an unknown field says where, and is not saved', async () => {
  await edit()
  const text = body().getByRole('textbox', { name: 'Selection in GraphQL' })
  await text.fill('{\n  ... on OrderPaid { order { color } }\n}')
  const problem = body().getByText(/^Line 2, column 30: .*color/)
  await problem.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await problem.waitFor()
  // In the list, the reader removes the field.
  await body().getByText('Fields', { exact: true }).click()
  await body().getByText('not in the catalogue').waitFor()
  await body()
    .getByRole('checkbox', { name: /^color / })
    .click()
  await body().getByText('No field chosen').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await body().getByText('Choose at least one field').waitFor()
})

story('a template starts from a preset, and one that is not JSON says where', async () => {
  await edit()
  await body().getByRole('radio', { name: 'A template' }).check()
  await body().getByRole('button', { name: 'Slack' }).click()
  await body().getByText('https://hooks.slack.com').waitFor()
  await bodyText().getByText('"blocks"').waitFor()
  const text = body().getByRole('textbox', { name: 'Template' })
  await text.fill('{ "text": "Paid: {{ $.order.id }}" ')
  await body()
    .getByText(/line 1, column \d+/)
    .waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await text.fill('{ "text": "Paid: {{ $.order.id }}" }')
  await bodyText().getByText('Paid: A-2').waitFor()
  // A preset in place of a text of the reader's own, and back.
  await body().getByRole('button', { name: 'Discord' }).click()
  await body().getByRole('button', { name: 'Back to my text' }).click()
  await bodyText().getByText('Paid: A-2').waitFor()
  await page.setViewportSize({ width: NARROW_PX, height: 800 })
  expect(await misfits(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await violations(page)).toEqual([])
  await save()
  await settings()
  await page.getByRole('region', { name: 'Template' }).getByText('Paid: {{').waitFor()
})

story('the page of a delivery has the body that was sent, and its version', async () => {
  const { deliveries } = await server.graphql<{ deliveries: { nodes: { id: string }[] } }>(
    'query ($filter: DeliveryFilter) { deliveries(filter: $filter, first: 1) { nodes { id } } }',
    { filter: { webhookIds: [webhookId] } },
  )
  await page.goto(`${server.url}/console/deliveries/${deliveries.nodes[0]?.id}`)
  const payload = page.getByRole('region', { name: 'Payload' })
  await payload.getByText(/The webhook has version \d now/).waitFor()
  await payload.getByRole('button', { name: 'Fields of 1 event type, version 1' }).click()
  await page.getByRole('region', { name: 'Selection in GraphQL' }).getByText('last4').waitFor()
  await page.keyboard.press('Escape')
  await payload.getByText('A-2').first().waitFor()
  expect(await payload.getByText('sku').count()).toBe(0)
  expect(await violations(page)).toEqual([])
})

story('the history shows what changed in a text line by line', async () => {
  await page.goto(`${server.url}/console/webhooks/${webhookId}?tab=history`)
  const row = page.getByRole('row').filter({ hasText: 'template: none →' })
  await row.getByRole('link').first().click()
  const change = page.getByRole('region', { name: 'Difference of template' })
  await change.getByText('+ { "text": "Paid: {{ $.order.id }}" }').waitFor()
})

story('a change of the catalogue that breaks a selection is made after a question', async () => {
  const selection = '{ ... on OrderPaid { customer { email } } }'
  await call(server, 'updateWebhook', {
    id: ['ID!', webhookId],
    input: ['UpdateWebhookInput!', { selection }],
  })
  await page.goto(`${server.url}/console/event-types/order.paid/edit`)
  await waitUntilLoaded(page)
  const schema = { type: 'object', properties: { order: { type: 'object' } } }
  await page.getByRole('textbox', { name: 'Schema (optional)' }).fill(JSON.stringify(schema))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(webhookId).waitFor()
  await page.getByRole('checkbox', { name: 'Save all the same' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('order.paid was saved.').waitFor()
  // The page of the webhook says what is missing.
  await settings()
  await page.getByText('The catalogue no longer has all that the body names').waitFor()
  await page
    .getByText(/customer/)
    .first()
    .waitFor()
  expect(await violations(page)).toEqual([])
})
