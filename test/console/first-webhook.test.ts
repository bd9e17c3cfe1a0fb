import { beforeAll, expect } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { JOINED } from '../support/factories.ts'
import type { Received } from '../support/receiver.ts'
import { call } from './support/call.ts'
import { startConsoleServer } from './support/console-server.ts'
import { copiedText } from './support/copied-text.ts'
import { open, openDesk, page, reader, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { subscribe } from './support/subscribe.ts'

/** One person sets up one webhook in the console, from the sign-in link to its deletion. */
let webhookPath: string
let secret: string

openDesk(() => startConsoleServer({ environment: { POSTHORN_RETRY_SCHEDULE: '1s,2s,60s' } }), {
  scopes: null,
})

// Requests before the sign-in.
beforeAll(() => reader.expectPageErrors(/status of 401/))

story('the sign-in link opens an overview that leads to a new webhook', async () => {
  await page.goto(server.signInLink)
  await waitUntilLoaded(page)
  expect(await page.locator('h1').textContent()).toBe('Overview')
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('link', { name: 'Create webhook' }).first().click()
  await page.getByRole('heading', { name: 'Create webhook' }).waitFor()
  await page.getByText('npx posthorn listen --register').waitFor()
  // The reader can type at once.
  await expect.poll(() => page.locator(':focus').getAttribute('type')).toBe('url')
  // The defaults of this installation.
  await page.getByRole('button', { name: /^Advanced/ }).click()
  await page.getByText(/Default: 3 retries over 1 min/).waitFor()
})

story('a rejected URL has an error at its field, and other fields keep their values', async () => {
  await page.getByLabel('URL').fill('http://example.com/hooks')
  await page.getByLabel('Description').fill('My first receiver')
  await page
    .getByText(/HTTPS|https:\/\//)
    .first()
    .waitFor()
  await subscribe(page, JOINED)
  // Only the server's address guard rejects this one.
  await page.getByLabel('URL').fill('https://10.0.0.1/hooks')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('not a public address').first().waitFor()
  expect(await page.getByLabel('Description').inputValue()).toBe('My first receiver')
})

story('creating a webhook leads to its signing secret, which can be copied', async () => {
  await page.getByLabel('URL').fill(server.receiver.url)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const section = page.getByRole('region', { name: 'Signing secret' })
  await section.getByText(/^whsec_/).waitFor()
  await section.getByRole('button', { name: 'Copy' }).first().click()
  secret = await copiedText(page, /^whsec_[A-Za-z0-9+/]+=*$/)
  webhookPath = new URL(page.url()).pathname.replace('/console', '')
  expect(webhookPath).toMatch(/^\/webhooks\/wh_[0-9a-z]{26}$/)
})

story('a test event arrives, signed with that secret, and the page follows it live', async () => {
  await sendTestEvent()
  const arrived = await server.receiver.arrival(1)
  expect(await isSignedWith(arrived, secret)).toBe(true)
  await page.getByText('The receiver accepted the delivery.').waitFor()
})

story('three clicks publish an event, which arrives too', async () => {
  await page.getByRole('link', { name: 'Events', exact: true }).first().click()
  await page.getByRole('button', { name: 'Publish event' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Published, with 1 delivery.').waitFor()
  await server.receiver.arrival(2)
})

story('failed attempts appear one by one, with a reason, until the endpoint recovers', async () => {
  server.receiver.answer = (response) => response.writeHead(503).end('{"error":"closed"}')
  await open(webhookPath)
  await sendTestEvent()
  // The attempts appear without a reload.
  for (const number of [1, 2, 3]) {
    await page.getByRole('button', { name: `Attempt ${number}` }).waitFor()
  }
  await page.getByRole('button', { name: 'Attempt 3' }).filter({ hasText: '503' }).waitFor()
  // The first attempt has opened by itself.
  await page.getByRole('region', { name: 'Response body' }).getByText('"closed"').waitFor()

  server.receiver.answer = (response) => response.end()
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByRole('button', { name: 'Attempt 4' }).filter({ hasText: '200' }).waitFor()
  const state = page.locator('main').getByText('Succeeded', { exact: true })
  await state.first().waitFor()
})

story('a successful delivery can be redelivered with the same id', async () => {
  const before = server.receiver.received.length
  const last = server.receiver.received[before - 1]
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click()
  const again = await server.receiver.arrival(before + 1)
  expect(again.headers['wh-id']).toBe(last?.headers['wh-id'])
  await page.getByRole('button', { name: 'Attempt 5' }).waitFor()
})

story('rotation shows both secrets, and the new one signs', async () => {
  await open(`${webhookPath}?tab=secret`)
  const section = page.getByRole('region', { name: 'Signing secret' })
  await section.getByRole('button', { name: 'Show', exact: true }).click()
  await section.getByText(secret).waitFor()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('24 hours').waitFor()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByRole('region', { name: 'Rotated out' }).getByText(secret).waitFor()
  const rotated = (await section.getByText(/^whsec_/).textContent()) ?? ''
  expect(rotated).not.toBe(secret)
  // Once: a reload hides the secret.
  await page.reload()
  await section.getByRole('button', { name: 'Show', exact: true }).waitFor()
  expect(await page.getByText(rotated).count()).toBe(0)

  const before = server.receiver.received.length
  await sendTestEvent()
  const arrived = await server.receiver.arrival(before + 1)
  expect([await isSignedWith(arrived, rotated), await isSignedWith(arrived, secret)]).toEqual([
    true,
    false,
  ])
})

story('a webhook is disabled and enabled, and events of the meantime are not sent', async () => {
  await open(webhookPath)
  await change('Disable')
  await page.locator('main').getByText('Disabled', { exact: true }).first().waitFor()
  const before = server.receiver.received.length
  await call(server, 'publishEvent', { input: { type: JOINED, data: { attendee: 1 } } })
  await change('Enable')
  await page.locator('main').getByText('Healthy', { exact: true }).first().waitFor()
  expect(server.receiver.received.length).toBe(before)
})

story('deleting a webhook says what is lost, and removes it from the list', async () => {
  await open(webhookPath)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Unfinished deliveries are canceled', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await expect.poll(() => page.getByText(server.receiver.url).count()).toBe(0)
})

async function sendTestEvent(): Promise<void> {
  await page.getByRole('button', { name: 'Send test event' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Payload').inputValue()).toContain('attendee')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
}

async function change(action: 'Disable' | 'Enable'): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
  await page.getByRole('dialog').getByRole('button', { name: action }).click()
}

async function isSignedWith({ body, headers }: Received, key: string): Promise<boolean> {
  return (await verify(body, headers as Record<string, string>, key)).ok
}
