import { expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { expectFits } from '../support/layout.ts'
import { violations } from '../support/violations.ts'

openDesk()

/** Makes the request of a curl command of the page, but does not wait for events. */
async function run(command: string): Promise<{ lease: string | null; events: unknown[] }> {
  const url = /'(http[^']+)'/.exec(command)?.[1]?.replace('wait=20', 'wait=0') ?? ''
  const body = /-d '([^']+)'/.exec(command)?.[1]
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const response = await fetch(url, { headers, ...(body && { method: 'POST', body }) })
  return await response.json()
}

const row = () => page.getByRole('table', { name: 'Consumers' }).getByRole('row').nth(1)

story('the empty page has the calls to begin with, and the first pull appears', async () => {
  await open('/consumers')
  await page.getByText('No consumers yet').waitFor()
  expect(await violations(page)).toEqual([])
  const code = await page.getByRole('region', { name: 'curl code' }).innerText()
  const [pull = '', acknowledge = ''] = code.split('\n\n')
  expect((await run(pull)).events).toEqual([])
  // The page asks again by itself.
  await row().getByText('billing').waitFor()
  await row().getByText('Healthy').waitFor()

  await call(server, 'publishEvent', { input: { type: JOINED, data: { attendee: 1 } } })
  const { lease, events } = await run(pull)
  expect(events).toMatchObject([{ type: JOINED }])
  await expect.poll(leased).toBe('1')
  expect(await violations(page)).toEqual([])
  expect(await run(acknowledge.replace('LEASE', lease ?? ''))).toEqual({ acknowledged: 1 })
  await expect.poll(leased).toBe('0')
})

/** How many events of the first consumer are pulled and not acknowledged. */
async function leased(): Promise<string | undefined> {
  const labels = await page.getByRole('columnheader').allInnerTexts()
  return (await row().getByRole('cell').allInnerTexts())[labels.indexOf('Leased')]
}

story('a consumer is deleted after a question, and fits a telephone before', async () => {
  await open('/consumers')
  await expectFits(page)
  await page.getByRole('button', { name: 'Delete billing' }).click()
  const question = page.getByRole('dialog', { name: 'Delete the consumer billing?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete billing' }).click()
  await question.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Consumer deleted.').waitFor()
  await page.getByText('No consumers yet').waitFor()
})
