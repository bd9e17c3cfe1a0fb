import type { Request } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED, TICKET } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { addWebhook } from './lists/support.ts'
import { call, untilCount } from './support/call.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'

/* A person on call finds deliveries and acts on them. Each question takes at most three steps. */
const SUCCEEDED = 130
/** Few for each webhook, so that none is put on hold. */
const FAILING_WEBHOOKS = 7
const FAILED = 4 * FAILING_WEBHOOKS

openDesk()

beforeAll(async () => {
  await call(server, 'updateEventType', {
    id: `type_${JOINED}`,
    input: { searchKeys: ['$.order'] },
  })
  await addWebhook(server, 'works')
  for (let n = 0; n < FAILING_WEBHOOKS; n++)
    await addWebhook(server, `fails-${n}`, { eventSubscriptions: [TICKET] })
  server.receiver.answer = (response, { path }) => {
    response.writeHead(path.startsWith('/fails') ? 502 : 204).end()
  }
  await publish(JOINED, SUCCEEDED)
  await publish(TICKET, 4)
  await untilCount(server, { states: ['SUCCEEDED'] }, SUCCEEDED)
  await untilCount(server, { states: ['RETRYING'] }, FAILED)
})

story('what failed in the last hour? One click shows it, and nothing else', async () => {
  await open('/deliveries')
  await page.getByRole('link', { name: 'Failed in the last hour' }).click()
  await expectRows('Retrying', 25)
  expect(await rows().filter({ hasText: 'Succeeded' }).count()).toBe(0)
  expect(new URL(page.url()).search).toBe('?status=FAILED&within=1h')
  await page.getByLabel('Status or error').first().fill('418')
  await page.getByRole('option', { name: 'Add “418”' }).click()
  await page.getByText('Nothing matches these filters').waitFor()
})

story('where is order 87012? Its value finds the event and what came of it', async () => {
  await open('/events')
  await page.getByLabel('$.order', { exact: true }).fill('87012')
  await expectRows('1 of 1 delivered', 1)
  await rows().filter({ hasText: '{"order":87012}' }).waitFor()
  await page.getByLabel('$.order', { exact: true }).fill('99999')
  await page.getByText('Nothing matches these filters').waitFor()
})

story('all that failed with 502 since some time are redelivered in three steps', async () => {
  await open('/deliveries')
  await page.getByLabel('Status or error').first().fill('502')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/deliveries?cause=502')
  await page.keyboard.press('Escape')
  await page.getByLabel('Attempted').first().click()
  await page.getByRole('option', { name: 'From … to …' }).click()
  // The rows before are alike, and the next filter forgets what is selected.
  const listed = page.waitForResponse((response) => isListSince(response.request()))
  await page.getByLabel('From', { exact: true }).fill(await anHourAgo())
  await listed
  await waitUntilLoaded(page)
  await expectRows('502', 25)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all that match' }).click()

  server.receiver.answer = (response) => response.end()
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`Redeliver ${FAILED} deliveries?`).waitFor()
  await dialog.getByRole('button', { name: 'Redeliver', exact: true }).click()
  await page.getByRole('heading', { name: `Redelivery of ${FAILED} deliveries` }).waitFor()
  await page.getByText(`${FAILED} queued`).first().waitFor()
  await page.getByText('Completed', { exact: true }).waitFor()
  await untilCount(server, { states: ['RETRYING'] }, 0)
})

story('a range of rows is selected with Shift, and stays selected on other pages', async () => {
  await open('/deliveries?state=SUCCEEDED')
  const boxes = page.getByRole('checkbox', { name: /^Select msg_/ })
  await boxes.nth(1).click()
  await boxes.nth(4).click({ modifiers: ['Shift'] })
  await page.getByText('4 selected').waitFor()
  const first = await boxes.nth(0).getAttribute('aria-label')
  await page.getByRole('button', { name: 'Next' }).click()
  await page
    .getByRole('checkbox', { name: first as string, exact: true })
    .waitFor({ state: 'detached' })
  await boxes.nth(0).click()
  await page.getByText('5 selected').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByText('5 selected').waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Redeliver', exact: true }).count()).toBe(0)
})

story('what a redelivery would send twice is said before', async () => {
  await open('/deliveries?state=SUCCEEDED')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click()
  await page.getByRole('dialog').getByText('25 of them succeeded already').waitFor()
  await page.keyboard.press('Escape')
})

story('a job that is stopped says how far it came', async () => {
  const input = { filter: { states: ['SUCCEEDED'] }, ratePerSecond: 1 }
  const { task } = await call(server, 'redeliver', { input }, 'task { id }')
  await open(`/tasks/${task.id}`)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText(/^Stopped\. Deliveries queued before are sent/).waitFor()
})

function isListSince(request: Request): boolean {
  const { operationName, variables } = request.postDataJSON() ?? {}
  return operationName === 'Deliveries' && Boolean(variables.filter?.anyAttempt?.since)
}

const rows = () => page.locator('main tbody tr')

async function expectRows(text: string, count: number): Promise<void> {
  await until(async () => (await rows().filter({ hasText: text }).count()) === count, text)
  expect(await rows().count()).toBe(count)
}

/** In the zone of the page, as the browser's picker writes it. */
async function anHourAgo(): Promise<string> {
  return await page.evaluate(() => {
    const at = new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000)
    return at.toISOString().slice(0, 16)
  })
}

async function publish(type: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({ type, data: { order: 87_000 + n } }))
  await call(server, 'publishEvents', { input: { events } })
}
