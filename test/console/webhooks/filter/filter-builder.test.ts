import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { startStopwatch } from '../../../support/stopwatch.ts'
import { until } from '../../../support/until.ts'
import { call } from '../../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../../support/console-server.ts'
import { misfits } from '../../support/layout.ts'
import { waitUntilLoaded } from '../../support/sign-in.ts'
import { story, storyBrowser } from '../../support/story.ts'
import { violations } from '../../support/violations.ts'
import { type Visit, visit } from '../../support/visit.ts'

/** A reader asks for paid orders of more than 100 € from Berlin, and for no others. */
const MINUTE_MS = 60_000
const NARROW_PX = 360

let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page
let webhookId: string

const order = (status: string, total: number, city: string) => ({
  type: 'order.updated',
  data: { order: { status, total, city, tags: ['new'] } },
})

const publish = (...events: ReturnType<typeof order>[]) =>
  call(server, 'publishEvents', { input: ['PublishEventsInput!', { events }] })

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  for (const name of ['order.updated', 'order.canceled', 'invoice.sent']) {
    const input = { name, description: name, example: order('paid', 120, 'Berlin').data }
    await call(server, 'createEventType', { input: ['CreateEventTypeInput!', input] })
  }
  await publish(
    order('paid', 250, 'Berlin'),
    order('paid', 99.5, 'Berlin'),
    order('open', 300, 'Berlin'),
    order('paid', 300, 'Bonn'),
  )
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

const row = (number: number) => page.getByRole('group', { name: `Condition ${number}` })
const trial = () => page.getByRole('region', { name: 'Trial of the filter' })

async function choose(number: number, field: string, operator: string, value: string) {
  await row(number).getByLabel('Field', { exact: true }).fill(field)
  // The list with this one field is below what comes next.
  await page.getByRole('option', { name: field, exact: true }).click()
  await row(number).getByLabel('Operator').click()
  await page.getByRole('option', { name: operator, exact: true }).click()
  await row(number).getByLabel('Value', { exact: true }).fill(value)
  await row(number).getByLabel('Value', { exact: true }).press('Tab')
}

story('a filter is built, tried on past events and saved in less than a minute', async () => {
  await page.goto(`${server.url}/console/webhooks/new`)
  await waitUntilLoaded(page)
  const stopwatch = startStopwatch()
  await page.getByLabel('URL').fill(server.receiver.url)
  await page.getByRole('checkbox', { name: 'order.updated' }).check()
  await page.getByRole('button', { name: 'Add filter' }).click()
  await choose(1, '$.order.status', 'is', 'paid')
  await trial().getByText('3 of the last 4 events match').waitFor()
  await page.getByRole('button', { name: 'Add condition' }).click()
  // The type of the values comes from the example.
  await choose(2, '$.order.total', 'is greater than', '100')
  await trial().getByText('2 of the last 4 events match').waitFor()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await choose(3, '$.order.city', 'is', 'Berlin')
  await trial().getByText('1 of the last 4 events match').waitFor()

  // Each event that is refused says which condition it does not meet.
  await trial().getByText('No match', { exact: true }).click()
  const refused = trial().getByRole('table').getByRole('row')
  await expect.poll(() => refused.count()).toBe(4)
  expect(await refused.nth(1).innerText()).toContain('$.order.city must be "Berlin"')
  expect(await refused.nth(2).innerText()).toContain('$.order.status must be "paid"')
  expect(await refused.nth(3).innerText()).toContain('$.order.total must be greater than 100')
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('region', { name: 'Signing secret' }).waitFor()
  expect(stopwatch.readMs()).toBeLessThan(MINUTE_MS)
  webhookId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
})

story('an event that matches is delivered, and one that does not is not, but counted', async () => {
  await publish(order('paid', 100, 'Berlin'), order('paid', 100.01, 'Berlin'))
  const arrived = await server.receiver.arrival(1)
  expect(JSON.parse(arrived.body.toString()).data.order.total).toBe(100.01)
  await page.goto(`${server.url}/console/webhooks/${webhookId}?tab=settings`)
  await page
    .getByText(
      'order.status is "paid", order.total is greater than 100, and order.city is "Berlin"',
    )
    .waitFor()
  await until(async () => {
    await page.reload()
    await waitUntilLoaded(page)
    await page.getByText('in the last 24 hours').waitFor()
    return (await page.getByText('Refused 1 event in the last 24 hours').count()) === 1
  }, 'the refused event is counted')
  expect(server.receiver.received).toHaveLength(1)
})

story('a group and a pattern are added, and the page fits a telephone', async () => {
  await page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(page)
  await page.getByRole('combobox', { name: 'Pattern' }).fill('order.*')
  await page.getByRole('combobox', { name: 'Pattern' }).press('Escape')
  await page.getByRole('button', { name: 'Add pattern' }).click()
  await page.getByText('Includes order.canceled, order.updated today').waitFor()
  await page.getByRole('button', { name: 'Remove condition 3' }).click()
  await page.getByRole('button', { name: 'Add group' }).click()
  await row(3).getByLabel('Field', { exact: true }).fill('$.order.city')
  await row(3).getByLabel('Operator').click()
  await page.getByRole('option', { name: 'is one of', exact: true }).click()
  for (const city of ['Bonn', 'Kiel']) {
    await row(3).getByLabel('Values', { exact: true }).fill(city)
    await row(3).getByLabel('Values', { exact: true }).press('Enter')
  }
  await page.getByRole('button', { name: 'Add condition' }).first().click()
  await choose(4, '$.order.tags', 'has the item', 'old')
  await trial().getByText('1 of the last 6 events match').waitFor()
  await page.setViewportSize({ width: NARROW_PX, height: 800 })
  expect(await misfits(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Webhook saved.').waitFor()
  const { webhook } = await server.graphql<{ webhook: Record<string, unknown> }>(
    'query ($id: ID!) { webhook(id: $id) { subscriptions filter } }',
    { id: webhookId },
  )
  expect(webhook).toEqual({
    subscriptions: ['order.updated', 'order.*'],
    filter: {
      all: [
        { path: '$.order.status', op: 'equals', value: 'paid' },
        { path: '$.order.total', op: 'greater', value: 100 },
        {
          any: [
            { path: '$.order.city', op: 'in', value: ['Bonn', 'Kiel'] },
            { path: '$.order.tags', op: 'has', value: 'old' },
          ],
        },
      ],
    },
  })
})

story('a condition without a value, or with a wrong one, is not saved, and says why', async () => {
  await page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(page)
  await row(2).getByLabel('Value', { exact: true }).fill('many')
  await page.getByRole('button', { name: 'Save' }).click()
  await row(2).getByText('Enter a number, such as 99.5.').waitFor()
  await page.getByText('Complete the conditions of the filter').waitFor()
  await row(2).getByLabel('Value', { exact: true }).fill('100')
  // Only the server knows the rules of paths, and says so before the form is sent.
  await row(1).getByLabel('Field', { exact: true }).fill('order.status')
  await row(1).getByText('Must be a path such as $.order.id').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saving failed').waitFor()
  await row(1).getByText('Must be a path such as $.order.id').waitFor()
})

story('a filter that the builder cannot show is text, and says why', async () => {
  const leaf = { path: '$.order.city', op: 'equals', value: 'Bonn' }
  const input = { filter: { all: [{ any: [leaf, { all: [leaf, leaf] }] }] } }
  await call(server, 'updateWebhook', {
    id: ['ID!', webhookId],
    input: ['UpdateWebhookInput!', input],
  })
  await page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(page)
  await page.getByText('so it stays text').waitFor()
  const text = page.getByRole('textbox', { name: 'Filter as JSON' })
  expect(JSON.parse(await text.inputValue())).toEqual(input.filter)
  await trial().getByText('1 of the last 6 events match').waitFor()
  // The history has filters in words.
  await page.goto(`${server.url}/console/webhooks/${webhookId}?tab=history`)
  const change = page.getByRole('table').getByText(/^filter: order.status is "paid", /)
  await expect.poll(() => change.first().innerText()).toMatch(/→ order.city is "Bonn" or /)
})

story('a text of one level goes back to rows', async () => {
  const leaf = { path: '$.order.city', op: 'equals', value: 'Bonn' }
  await page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(page)
  const text = page.getByRole('textbox', { name: 'Filter as JSON' })
  await text.fill(JSON.stringify({ not: leaf }))
  await trial().getByText('5 of the last 6 events match').waitFor()
  await page.getByText('Builder', { exact: true }).click()
  expect(await row(1).getByLabel('not').isChecked()).toBe(true)
  expect(await row(1).getByLabel('Field', { exact: true }).inputValue()).toBe('$.order.city')
})
