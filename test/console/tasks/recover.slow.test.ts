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

story('a disabled webhook is counted, and enabled before anything is re-sent', async () => {
  await open(`/webhooks/${seed.webhooks.old}`)
  await page.getByRole('link', { name: 'Recover deliveries' }).first().click()
  await page.getByRole('radio', { name: 'Missed', exact: true }).check()
  await page
    .getByRole('status')
    .filter({ hasText: /can be re-sent/ })
    .waitFor()
  const resend = page.getByRole('button', { name: /^Re-send/ })
  expect(await resend.count()).toBe(0)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await resend.click()
  await page.getByRole('heading', { name: /^Recovery of/ }).waitFor()
  await page.getByText('Completed', { exact: true }).waitFor()
  await page.getByText(/^(\d+) of \1 queued$/).waitFor()
})

story('what failed is counted at once, one click re-sends it, and its job has a page', async () => {
  const { old } = seed.webhooks
  await call(server, 'updateWebhook', { id: old, input: { retryScheduleSeconds: [] } })
  seed.endpoints.answer('old.example', { status: 500 })
  await seed.publish(5)
  const hasFailed = async () => (await deliveriesOf(server, old, ['EXHAUSTED'])).length === 1
  await until(hasFailed, 'the delivery of the one ticket fails')

  await open(`/webhooks/${old}/recover`)
  await page.getByText('From one minute before the failures began.').waitFor()
  await page.getByRole('button', { name: 'Re-send 1 delivery' }).click()
  await page.getByRole('heading', { name: 'Redelivery of 1 delivery' }).waitFor()
  await page.getByText('1 of 1 queued', { exact: true }).waitFor()
  await page.goBack()
  const rows = page.getByRole('table', { name: 'Recoveries' }).getByRole('row')
  await rows.filter({ hasText: 'Redelivery of 1 delivery' }).waitFor()
  await open('/tasks')
  const jobs = page.getByRole('table', { name: 'Jobs, newest first' }).getByRole('row')
  await jobs
    .filter({ hasText: /Redelivery of 1 delivery.*The former ticket shop.*Completed.*1 of 1/s })
    .waitFor()
})

story('an empty range says so, and a range without a start asks for one', async () => {
  await open(`/webhooks/${seed.webhooks.crm}/recover`)
  await page.getByText('There is nothing to recover in this time range.').waitFor()
  await page.getByRole('combobox', { name: 'Events published' }).click()
  await page.getByRole('option', { name: 'From … to …' }).click()
  await page.getByText('Choose a start time.').waitFor()
})
