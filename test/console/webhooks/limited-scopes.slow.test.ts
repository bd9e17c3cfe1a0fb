import { beforeAll, expect } from 'vitest'
import { call, createKey, createWebhook } from '../support/call.ts'
import { browser, open, openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'

/** Persons whose keys have few scopes: the first may change webhooks and test them, but neither read secrets nor publish. */
let webhookId: string

openDesk(undefined, {
  scopes: ['webhooks:read', 'webhooks:write', 'deliveries:read', 'deliveries:write'],
})

beforeAll(async () => {
  const headers = [
    { name: 'X-Api-Key', value: 'sk_live_1' },
    { name: 'X-Team', value: 'blue' },
  ]
  webhookId = await createWebhook(server, { headers })
})

const headers = () => page.getByLabel('Custom headers')
const save = () => page.getByRole('button', { name: 'Save' }).click()

async function stored(): Promise<Record<string, string>> {
  const fields = 'headers { name value }'
  const { headers } = await call(server, 'revealHeaders', { id: webhookId }, fields)
  type Header = { readonly name: string; readonly value: string }
  return Object.fromEntries(headers.map(({ name, value: text }: Header) => [name, text]))
}

story('a new path keeps the headers, and a new host asks for their values', async () => {
  await open(`/webhooks/${webhookId}/edit`)
  const needed = page.getByRole('alert').filter({ hasText: 'Enter the values again' })
  await page.getByLabel('URL').fill(`${server.receiver.url}other`)
  expect(await needed.count()).toBe(0)
  await page.getByLabel('URL').fill('https://other.example/hooks')
  await needed.getByText('https://other.example', { exact: false }).waitFor()

  await save()
  await expect.poll(() => headers().getAttribute('aria-invalid')).toBe('true')
  await page.getByText('is needed again, because the URL moves').first().waitFor()
  expect(await stored()).toEqual({ 'X-Api-Key': 'sk_live_1', 'X-Team': 'blue' })
})

story('the values that are entered replace the stored ones', async () => {
  await headers().fill('X-Api-Key: sk_live_2')
  await page.getByText('Enter the values again').waitFor({ state: 'hidden' })
  await save()
  await page.waitForURL(`${server.url}/console/webhooks/${webhookId}`)
  expect(await stored()).toEqual({ 'X-Api-Key': 'sk_live_2' })
})

story.each([
  ['/portal', 'This page requires the scope keys:manage', 'Create link'],
  ['/consumers', 'events:read', 'Delete'],
  ['/alerts', 'E-mail about', 'Add address'],
  ['/deliveries', 'Deliveries', 'Redeliver'],
])(
  '%s says %s to a key that may read webhooks only, and shows no button %s',
  async (path, text, button) => {
    const token = await createKey(server, ['webhooks:read', 'deliveries:read'])
    const signedInTo = { url: server.url, token }
    await using reader = await visit(browser, { origins: [server.url], signedInTo })
    await reader.page.goto(`${server.url}/console${path}`)
    await waitUntilLoaded(reader.page)
    await reader.page.getByText(text).first().waitFor()
    expect(await reader.page.getByRole('button', { name: button }).count()).toBe(0)
  },
)

story('a test event has the example of its type, and says which scope another needs', async () => {
  await waitUntilLoaded(page)
  await page.getByRole('button', { name: 'Send test event' }).click()
  const payload = page.getByRole('dialog').getByRole('region', { name: 'Payload' })
  await page.getByRole('dialog').getByText('requires the scope events:publish').waitFor()
  expect(JSON.parse(await payload.innerText())).toHaveProperty('attendee')
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await page.waitForURL(/\/deliveries\/msg_/)
})

story('with secrets:read the form says that the stored values go along', async () => {
  const signedInTo = { url: server.url, token: server.token }
  await using admin = await visit(browser, { origins: [server.url], signedInTo })
  await admin.page.goto(`${server.url}/console/webhooks/${webhookId}/edit`)
  await waitUntilLoaded(admin.page)
  await admin.page.getByLabel('URL').fill('https://third.example/hooks')
  await admin.page.getByText('The stored values go to the new address too').waitFor()
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.waitForURL(`${server.url}/console/webhooks/${webhookId}`)
  expect(await stored()).toEqual({ 'X-Api-Key': 'sk_live_2' })
})
