import { beforeAll, expect } from 'vitest'
import { type SeededServer, seedServer } from './seed.ts'
import { call } from './support/call.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'

/* Each task takes at most three clicks from the page of its place in the menu. Typing is no click. */
let seed: SeededServer
const clicks: string[] = []

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})

beforeAll(async () => {
  await page.exposeFunction('noteClick', (text: string) => clicks.push(text))
  // A click on a label makes another one, on its field, without a count of its own.
  await page.addInitScript(`addEventListener('click', ({ target, isTrusted, detail }) => {
    if (isTrusted && detail > 0) noteClick(target.innerText)
  }, { capture: true })`)
})

/** Opens the page of a place, from which the clicks count. */
async function begin(path: string): Promise<void> {
  await open(path)
  clicks.length = 0
}

const clickLink = (name: string | RegExp) => page.getByRole('link', { name }).first().click()
const clickButton = (name: string | RegExp) => page.getByRole('button', { name }).first().click()

story('send a first event', async () => {
  await begin('/overview')
  await clickLink('Events')
  await clickButton('Publish event')
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText(/^Published, with \d+ deliver/).waitFor()
  expect(clicks).toHaveLength(3)
})

story('find why a customer did not get an event', async () => {
  const searched = { id: 'type_order.refunded', input: { searchKeys: ['$.orderId'] } }
  await call(server, 'updateEventType', searched)
  const event = { type: 'order.refunded', data: { orderId: 'ord_87012' } }
  await call(server, 'publishEvent', { input: event })
  await begin('/events')
  await page.getByLabel('$.orderId').fill('ord_87012')
  await page.getByRole('row').nth(1).filter({ hasText: 'ord_87012' }).getByRole('link').click()
  const failed = page.getByRole('row').filter({ hasText: 'The receiver found nothing at this URL' })
  await failed.getByRole('link').first().click()
  await page.getByRole('button', { name: /^Attempt 1/ }).waitFor()
  expect(clicks).toHaveLength(2)
})

story('send again what was missed', async () => {
  await begin('/overview')
  await clickLink('Statistics of the fair')
  await clickLink('Recover deliveries')
  await clickButton(/^Re-send \d+ deliver/)
  await page.getByRole('heading', { name: /^Redelivery of/ }).waitFor()
  expect(clicks).toHaveLength(3)
})

story('rotate a secret', async () => {
  await begin('/webhooks')
  await clickLink('Customer relations')
  await clickButton('Rotate secret')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  await page
    .getByText(/^whsec_\w/)
    .first()
    .waitFor()
  expect(clicks).toHaveLength(3)
})

story('add a field to what is sent', async () => {
  const id = seed.webhooks.boxOffice
  const selection = '{ ... on OrderPlaced { orderId } }'
  await call(server, 'updateWebhook', { id, input: { selection } })
  await begin('/webhooks')
  await clickLink('Box office')
  await clickLink('Edit')
  const editor = page.getByLabel('Selection')
  await editor.fill((await editor.inputValue()).replace('orderId', 'orderId tickets'))
  await clickButton('Save')
  await page.getByText('Webhook saved.').waitFor()
  expect(clicks).toHaveLength(3)
  const sent = await server.graphql('query ($id: ID!) { webhook(id: $id) { selection } }', { id })
  expect(sent.webhook.selection).toContain('tickets')
})

story('see what waits, and for what', async () => {
  await begin('/overview')
  const waits = page.getByRole('region', { name: 'What deliveries wait for' })
  await waits.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  expect(new URL(page.url()).search).toBe('?state=WAITING')
  await page.getByRole('row').filter({ hasText: 'On hold' }).first().waitFor()
  expect(clicks).toHaveLength(1)
})
