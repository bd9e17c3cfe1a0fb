import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { call, deliveriesOf } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

let seed: SeededServer

openDesk(async () => {
  seed = await seedServer()
  return seed.server
})

story('a recovery of a webhook on hold says that deliveries would wait, and resumes', async () => {
  await open(`/webhooks/${seed.webhooks.ledger}/recover`)
  await page.getByText('On hold: re-sent deliveries wait').waitFor()
  await page.getByText(/Next probe/).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('On hold: re-sent deliveries wait').waitFor({ state: 'detached' })
})

story('a disabled webhook is previewed, and enabled before anything is re-sent', async () => {
  await open(`/webhooks/${seed.webhooks.old}`)
  await page.getByRole('link', { name: 'Recover deliveries' }).first().click()
  await page.getByRole('button', { name: 'Last hour' }).click()
  await page.getByRole('radio', { name: 'Missed', exact: true }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /queued in about/ })
    .waitFor()
  const resend = page.getByRole('button', { name: /^Re-send/ })
  expect(await resend.count()).toBe(0)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await resend.click()

  const recovery = page.getByRole('region', { name: 'Result of the bulk action' })
  await recovery.getByText('Completed', { exact: true }).waitFor()
  await recovery.getByText(/^\d+ queued$/).waitFor()
})

story('a recovery is listed, and has its page', async () => {
  const { old } = seed.webhooks
  await call(server, 'updateWebhook', { id: old, input: { retryScheduleSeconds: [] } })
  seed.endpoints.answer('old.example', { status: 500 })
  await seed.publish(5)
  const hasFailed = async () => (await deliveriesOf(server, old, ['EXHAUSTED'])).length === 1
  await until(hasFailed, 'the delivery of the one ticket fails')

  await open(`/webhooks/${old}/recover`)
  await page.getByRole('button', { name: 'Last hour' }).click()
  await page.getByRole('radio', { name: 'Failed', exact: true }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Re-send 1 delivery' }).click()
  const recovery = page.getByRole('region', { name: 'Result of the bulk action' })
  await recovery.getByText('1 queued', { exact: true }).waitFor()
  const rows = page.getByRole('table', { name: 'Recoveries' }).getByRole('row')
  await rows.filter({ hasText: 'Redelivery of 1 delivery' }).waitFor()
  await recovery.getByRole('link', { name: 'Open the result' }).click()
  await page.getByRole('heading', { name: 'Redelivery of 1 delivery' }).waitFor()

  await page.getByRole('link', { name: 'Tasks' }).first().click()
  const tasks = page.getByRole('table', { name: 'Tasks, the newest first' }).getByRole('row')
  await tasks.filter({ hasText: /Redelivery of 1 delivery.*Completed.*1 of 1/s }).waitFor()
})

story('a preview without a start asks for one; an empty range says so', async () => {
  await open(`/webhooks/${seed.webhooks.crm}/recover`)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Choose a start time.').waitFor()
  await page.getByRole('button', { name: 'Last hour' }).click()
  await page.getByRole('radio', { name: 'Failed', exact: true }).check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('There is nothing to recover in this time range.').waitFor()
})
