import { beforeAll, expect } from 'vitest'
import { until } from '../../../support/until.ts'
import { call } from '../../support/call.ts'
import { startConsoleServer } from '../../support/console-server.ts'
import { open, openDesk, page, server, story } from '../../support/desk.ts'
import { expectUsable } from '../../support/layout.ts'
import { waitUntilLoaded } from '../../support/sign-in.ts'
import { subscribe } from '../../support/subscribe.ts'
import { violations } from '../../support/violations.ts'

/** A reader asks for paid orders of more than 100 € from Berlin, and for no others. */
let webhookId: string

const order = (status: string, total: number, city: string) => ({
  type: 'order.updated',
  data: { order: { status, total, city, tags: ['new'] } },
})

const publish = (...events: ReturnType<typeof order>[]) =>
  call(server, 'publishEvents', { input: { events } })

openDesk(startConsoleServer)

beforeAll(async () => {
  for (const name of ['order.updated', 'order.canceled', 'invoice.sent']) {
    const input = { name, description: name, example: order('paid', 120, 'Berlin').data }
    await call(server, 'createEventType', { input })
  }
  await publish(
    order('paid', 250, 'Berlin'),
    order('paid', 99.5, 'Berlin'),
    order('open', 300, 'Berlin'),
    order('paid', 300, 'Bonn'),
  )
})

const trial = () => page.getByRole('region', { name: 'Trial of the filter' })
const field = () => page.getByRole('textbox', { name: 'Filter as JSON' })

const PAID = { path: '$.order.status', op: 'equals', value: 'paid' }
const LARGE = { path: '$.order.total', op: 'greater', value: 100 }
const BERLIN = { path: '$.order.city', op: 'equals', value: 'Berlin' }

story('a filter is written, tried on past events and saved', async () => {
  await open('/webhooks/new')
  await page.getByLabel('URL').fill(server.receiver.url)
  await subscribe(page, 'order.updated')
  await page.getByRole('button', { name: /^Filter/ }).click()
  await field().fill(JSON.stringify(PAID))
  await trial().getByText('3 of the last 4 events match').waitFor()
  await field().fill(JSON.stringify({ all: [PAID, LARGE, BERLIN] }))
  await trial().getByText('1 of the last 4 events match').waitFor()

  // Each event that is refused says which condition it does not meet.
  const rows = trial().getByRole('table').getByRole('row')
  await expect.poll(() => rows.count()).toBe(5)
  expect(await rows.nth(1).innerText()).toContain('$.order.city is "Berlin"')
  expect(await rows.nth(2).innerText()).toContain('$.order.status is "paid"')
  expect(await rows.nth(3).innerText()).toContain('$.order.total is greater than 100')
  expect(await rows.nth(4).innerText()).toContain('Match')
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('region', { name: 'Signing secret' }).waitFor()
  webhookId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
})

story('an event that matches is delivered, and one that does not is not, but counted', async () => {
  await publish(order('paid', 100, 'Berlin'), order('paid', 100.01, 'Berlin'))
  const arrived = await server.receiver.arrival(1)
  expect(JSON.parse(arrived.body.toString()).data.order.total).toBe(100.01)
  await open(`/webhooks/${webhookId}?tab=settings`)
  await page.getByRole('region', { name: 'Filter as JSON' }).getByText('"Berlin"').waitFor()
  // What has its default is folded, and one button edits the webhook.
  expect(await page.getByText('Keep response bodies').isVisible()).toBe(false)
  expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(1)
  await until(async () => {
    await page.reload()
    await waitUntilLoaded(page)
    await page.getByText('in the last 24 hours').waitFor()
    return (await page.getByText('Refused 1 event in the last 24 hours').count()) === 1
  }, 'the refused event is counted')
  expect(server.receiver.received).toHaveLength(1)
})

story('a pattern is added, and the page fits a telephone', async () => {
  await open(`/webhooks/${webhookId}/edit`)
  await subscribe(page, 'order.*')
  const filter = { all: [PAID, { any: [BERLIN, { not: LARGE }] }] }
  await field().fill(JSON.stringify(filter))
  await trial().getByText('4 of the last 6 events match').waitFor()
  await expectUsable(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Webhook saved.').waitFor()
  const { webhook } = await server.graphql(
    'query ($id: ID!) { webhook(id: $id) { subscriptions filter } }',
    { id: webhookId },
  )
  expect(webhook).toEqual({ subscriptions: ['order.updated', 'order.*'], filter })
})

story('a filter that is none is not saved, and says why while it is written', async () => {
  await open(`/webhooks/${webhookId}/edit`)
  await field().fill('{ "path": "$.order.total"')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Invalid JSON').waitFor()
  await page.getByRole('button', { name: 'Save' }).waitFor()
  // Only the server knows the rules of paths, and says so before the form is sent.
  await field().fill(JSON.stringify({ all: [LARGE, { ...PAID, path: 'order.status' }] }))
  const rule = page.getByText('filter.all[1].path must be a path such as $.order.id').first()
  await rule.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await rule.waitFor()
})
