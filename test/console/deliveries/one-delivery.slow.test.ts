import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import { call, createWebhook, deliveriesOf, untilDelivery } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

/** A person looks at one delivery that fails, and decides what to do about it. */
let webhookId: string
let failing: string

openDesk()

beforeAll(async () => {
  const input = { enabled: true, retryScheduleSeconds: [1, 600, 1_800] }
  webhookId = await createWebhook(server, input)
  server.receiver.answer = (response) => response.writeHead(503, { server: 'proxy' }).end('closed')
  failing = await sendAndWait(2)
})

async function sendAndWait(attempts: number): Promise<string> {
  const known = new Set((await deliveriesOf(server, webhookId)).map(({ id }) => id))
  const event = { type: JOINED, data: { attendee: { email: 'ada@example.com' } } }
  await call(server, 'publishEvents', { input: { events: [event] } })
  let id = ''
  await until(async () => {
    id = (await deliveriesOf(server, webhookId)).find((one) => !known.has(one.id))?.id ?? ''
    return id !== ''
  }, 'the event has a delivery')
  await untilDelivery(server, id, (one) => one.attemptCount === attempts, `${attempts} attempts`)
  return id
}

story('the planned retries follow, with their times', async () => {
  await open(`/deliveries/${failing}`)
  const attempts = page.getByRole('region', { name: 'Attempts' })
  await attempts.getByText(/^Planned, until one succeeds: in \d+ min · in \d+ min/).waitFor()
})

story('attempts are newest first, and each shows where its time went', async () => {
  await open(`/deliveries/${failing}`)
  const steps = page.getByRole('button', { name: /^Attempt \d/ })
  expect(await steps.allTextContents()).toMatchObject([/^Attempt 2/, /^Attempt 1/].map(matching))
  await page.getByRole('figure', { name: 'Where the time went' }).getByText('in total').waitFor()
  await steps.nth(1).click()
  const figure = page.getByRole('figure', { name: 'Where the time went' })
  for (const phase of ['Look-up', 'Connect', 'TLS', 'Waiting', 'Body']) {
    await figure.getByText(phase).waitFor()
  }
})

story(
  'new deliveries are counted until the reader asks, and shown ones change in place',
  async () => {
    await open('/deliveries')
    const rows = page.locator('main tbody tr')
    const before = await rows.count()
    await page.getByText('Live', { exact: true }).waitFor()
    const added = await sendAndWait(1)
    const show = page.getByRole('button', { name: '1 new, show it' })
    await show.waitFor()
    expect(await rows.count()).toBe(before)
    await show.click()
    await expect.poll(() => rows.count()).toBe(before + 1)
    await call(server, 'cancelDeliveries', { input: { ids: [added] } })
    await rows.first().getByText('Canceled', { exact: true }).waitFor()
  },
)

story('redelivering to a disabled webhook says what the delivery waits for', async () => {
  await setEnabled(false)
  await open(`/deliveries/${failing}`)
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('The delivery is sent once the webhook is enabled.').waitFor()
  await setEnabled(true)
})

story('stopping a delivery can be declined, and ends its planned attempts', async () => {
  await open(`/deliveries/${failing}`)
  await page.getByRole('button', { name: 'Stop delivering' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Stop delivering' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop delivering' }).click()
  await page.locator('main').getByText('Canceled', { exact: true }).first().waitFor()
  await expect.poll(() => page.getByText('Planned, until').count()).toBe(0)
})

const setEnabled = (enabled: boolean) =>
  call(server, 'updateWebhook', { id: webhookId, input: { enabled } })

const matching = (pattern: RegExp) => expect.stringMatching(pattern)
