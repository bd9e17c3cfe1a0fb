import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call, createWebhook } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

/** A person tests a webhook before it is enabled, with a payload of their own. */

openDesk(startConsoleServer)

beforeAll(async () => {
  const webhookId = await createWebhook(server)
  await call(server, 'updateEventType', {
    id: ['ID!', `type_${JOINED}`],
    input: [
      'UpdateEventTypeInput!',
      { schema: { type: 'object', properties: { attendee: { required: ['email'] } } } },
    ],
  })
  await open(`/webhooks/${webhookId}`)
  await page.getByRole('button', { name: 'Send test event' }).click()
})

const payload = () => page.getByRole('dialog').getByLabel('Payload')
const send = () => page.getByRole('dialog').getByRole('button', { name: /^Send/ }).click()

story('the payload begins as the example of its type', async () => {
  expect(JSON.parse(await payload().inputValue())).toHaveProperty('attendee')
  await page.getByText('This webhook is disabled', { exact: false }).waitFor()
})

story('what is not JSON cannot be sent, and each problem of the schema is listed', async () => {
  const dialog = page.getByRole('dialog')
  await payload().fill('{"attendee": ')
  await dialog.getByText('Invalid JSON', { exact: false }).waitFor()
  expect(await dialog.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  await payload().fill('{"attendee": {}}')
  await send()
  await dialog.getByText("/attendee must have required property 'email'.").waitFor()
  expect(server.receiver.received).toHaveLength(0)
})

story.each([
  [1440, 900],
  [360, 640],
])('the buttons stay in sight below a long answer at %d × %d pixels', async (width, height) => {
  await page.setViewportSize({ width, height })
  server.receiver.answer = (response) => response.writeHead(503).end('No seat.\n'.repeat(200))
  const dialog = page.getByRole('dialog')
  const rows = Array.from({ length: 40 }, (_, index) => index)
  await payload().fill(JSON.stringify({ attendee: { email: 'ada@example.com', rows } }, null, 2))
  await send()
  await dialog.getByRole('status').getByText('No seat.').waitFor()
  for (const name of ['Close', 'Send another']) {
    const isOnTop = await dialog
      .getByRole('button', { name, exact: true })
      .last()
      .evaluate((button) => {
        const { left, right, top, bottom } = button.getBoundingClientRect()
        const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return bottom <= innerHeight && right <= innerWidth && button.contains(found)
      })
    expect(isOnTop, name).toBe(true)
  }
  server.receiver.clear()
})

story('the test reaches the webhook, and its answer is shown', async () => {
  server.receiver.answer = (response) => response.writeHead(422).end('wrong seat')
  await payload().fill('{"attendee": {"email": "grace@example.com"}}')
  await send()
  const status = page.getByRole('dialog').getByRole('status')
  await status.getByText('Failed: no attempts left').waitFor()
  await status.getByText('wrong seat').waitFor()
  const arrived = await server.receiver.arrival(1)
  expect(JSON.parse(String(arrived.body)).data.attendee.email).toBe('grace@example.com')

  server.receiver.answer = (response) => response.end()
  await send()
  await status.getByText('Delivered').waitFor()
  await page.getByRole('link', { name: 'Show delivery' }).click()
  await page.locator('main').getByText('Test', { exact: true }).first().waitFor()
})
