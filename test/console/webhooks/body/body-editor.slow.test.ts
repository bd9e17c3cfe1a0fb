import { beforeAll, expect } from 'vitest'
import { call, createWebhook, deliveriesOf } from '../../support/call.ts'
import { startConsoleServer } from '../../support/console-server.ts'
import { open, openDesk, page, server, story } from '../../support/desk.ts'
import { expectUsable } from '../../support/layout.ts'
import { violations } from '../../support/violations.ts'
import { createCatalogue, orderOf } from './catalogue.ts'

/** A reader changes the body that a webhook sends. body-in-portal chooses its fields. */
let webhookId: string

const publish = (id: string) =>
  call(server, 'publishEvent', { input: { type: 'order.paid', data: orderOf(id) } })

openDesk(startConsoleServer)

beforeAll(async () => {
  await createCatalogue(server)
  webhookId = await createWebhook(server, {
    ...{ enabled: true, eventSubscriptions: ['order.paid'] },
    selection: '{ ... on OrderPaid { order { id } customer { name } } }',
  })
  await publish('A-2')
  await server.receiver.arrival(1)
})

const body = () => page.getByRole('region', { name: 'Body', exact: true })
const trial = () => page.getByRole('region', { name: 'Trial of the body' })
const bodyText = () => trial().getByRole('region', { name: 'Body of order.paid' })
const settings = () => open(`/webhooks/${webhookId}?tab=settings`)
const edit = () => open(`/webhooks/${webhookId}/edit`)

async function save() {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Webhook saved.').waitFor()
}

const text = () => body().getByRole('textbox', { name: 'Selection in GraphQL' })

story('a selection that names an unknown field says where, and is not saved', async () => {
  await edit()
  await text().fill('{\n  ... on OrderPaid { order { color } }\n}')
  const problem = body().getByText(/line 2, column 30: .*color/)
  await problem.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await problem.waitFor()
})

story('a template starts from one of a target, and one that is not JSON says where', async () => {
  await edit()
  await body().getByRole('radio', { name: 'A template' }).check()
  await body().getByRole('button', { name: 'Slack' }).click()
  await bodyText().getByText('"blocks"').waitFor()
  const template = body().getByRole('textbox', { name: 'Template' })
  await template.fill('{ "text": "Paid: {{ data.order.id }}" ')
  await body()
    .getByText(/line 1, column \d+/)
    .waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await template.fill('{ "text": "Paid: {{ data.order.id }}" }')
  await bodyText().getByText('Paid: A-2').waitFor()
  // No click replaces a text of the reader's own.
  expect(await body().getByRole('button', { name: 'Discord' }).count()).toBe(0)
  await expectUsable(page)
  await save()
  await settings()
  await page.getByRole('region', { name: 'Template' }).getByText('Paid: {{').waitFor()
})

story('the page of a delivery has the body that was sent, and its version', async () => {
  const [delivery] = await deliveriesOf(server, webhookId)
  await open(`/deliveries/${delivery?.id}`)
  const payload = page.getByRole('region', { name: 'Payload' })
  await payload.getByText(/The webhook has version \d now/).waitFor()
  await payload.getByRole('button', { name: 'Chosen fields, version 1' }).click()
  await page.getByRole('region', { name: 'Selection in GraphQL' }).getByText('customer').waitFor()
  await page.keyboard.press('Escape')
  await payload.getByText('A-2').first().waitFor()
  expect(await payload.getByText('email').count()).toBe(0)
  expect(await violations(page)).toEqual([])
})

story('a change of the catalogue that breaks a selection is made after a question', async () => {
  const selection = '{ ... on OrderPaid { customer { email } } }'
  await call(server, 'updateWebhook', { id: webhookId, input: { selection } })
  await open('/event-types/order.paid/edit')
  const schema = { type: 'object', properties: { order: { type: 'object' } } }
  await page.getByRole('textbox', { name: 'Schema (optional)' }).fill(JSON.stringify(schema))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(webhookId).waitFor()
  await page.getByRole('button', { name: 'Save all the same' }).click()
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
