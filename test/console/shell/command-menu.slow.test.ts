import type { Locator } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call, createOrganization, createWebhook } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { violations } from '../support/violations.ts'

let webhookId: string

openDesk(startConsoleServer)

beforeAll(async () => {
  const url = `${server.receiver.url}ticketing`
  webhookId = await createWebhook(server, { url, description: 'The box office' })
  await call(server, 'updateEventType', {
    id: `type_${JOINED}`,
    input: { searchKeys: ['$.order.id', '$.customer.email'] },
  })
  await createOrganization(server, 'Riverside Museum')
})

const box = () => page.getByRole('combobox', { name: 'Search and commands' })
const option = (name: string | RegExp) => page.getByRole('option', { name })

/** Presses Enter once an option is selected: a moment after it is rendered. */
async function choose(rendered: Locator): Promise<void> {
  await rendered.and(page.locator('[data-combobox-selected]')).waitFor()
  await page.keyboard.press('Enter')
}

story('one box finds webhooks, organizations, keys, event types, actions and ids', async () => {
  const { viewer, auditLog } = await server.graphql(
    '{ viewer { apiKey { id } } auditLog(first: 1) { nodes { id } } }',
  )
  const entry = auditLog.nodes[0].id
  await open('/events')
  await page.keyboard.press('Control+k')
  for (const [typed, found] of [
    ['ticketing', /The box office/],
    ['box off', /The box office/],
    ['riverside', /Riverside Museum/],
    ['order.id=87012', 'Find events with order.id = 87012'],
    [JOINED.toUpperCase().slice(3), JOINED],
    ['create web', 'Create webhook'],
    [viewer.apiKey.id, `Open ${viewer.apiKey.id}`],
    [entry, `Open ${entry}`],
  ] as const) {
    await box().fill(typed)
    await option(found).first().waitFor()
  }
  expect(await violations(page)).toEqual([])
  await box().fill(webhookId)
  await choose(option(`Open ${webhookId}`))
  await page.waitForURL(`**/webhooks/${webhookId}`)
})

story('keys go to pages and through rows, but not while somebody types', async () => {
  await open('/events')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await waitUntilLoaded(page)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/webhooks/${webhookId}`)

  await open('/webhooks/new')
  const description = page.getByLabel('Description')
  await description.fill('')
  await description.pressSequentially('gw/?')
  expect(await description.inputValue()).toBe('gw/?')
  expect(new URL(page.url()).pathname).toBe('/console/webhooks/new')
})

story('? lists the shortcuts, and turns those of a single key off', async () => {
  await open('/events')
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('g w').waitFor()
  await dialog.getByLabel('Shortcuts of a single key').uncheck({ force: true })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  expect(new URL(page.url()).pathname).toBe('/console/events')
  await page.keyboard.press('Control+k')
  await box().waitFor()
})
