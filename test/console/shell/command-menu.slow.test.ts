import type { Locator } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call, createWebhook } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { violations } from '../support/violations.ts'

let webhookId: string

openDesk(startConsoleServer)

beforeAll(async () => {
  const input = {
    url: `${server.receiver.url}ticketing`,
    description: 'The box office',
    eventSubscriptions: [JOINED],
  }
  webhookId = await createWebhook(server, input)
  await call(server, 'updateEventType', {
    id: ['ID!', `type_${JOINED}`],
    input: ['UpdateEventTypeInput!', { searchKeys: ['$.order.id', '$.customer.email'] }],
  })
  await call(server, 'createOrganization', {
    input: ['CreateOrganizationInput!', { name: 'Riverside Museum' }],
  })
})

const box = () => page.getByRole('combobox', { name: 'Search and commands' })
const option = (name: string | RegExp) => page.getByRole('option', { name })

/** Presses Enter once an option is selected: a moment after it is rendered. */
async function choose(rendered: Locator): Promise<void> {
  await rendered.and(page.locator('[data-combobox-selected]')).waitFor()
  await page.keyboard.press('Enter')
}

story(
  'one box finds ids, URLs, descriptions, search keys, pages, actions and organizations',
  async () => {
    await open('/events')
    await page.keyboard.press('Control+k')
    await box().fill('ticketing')
    await option(/The box office/).waitFor()
    expect(await violations(page)).toEqual([])
    await box().fill('box off')
    await option(/The box office/).waitFor()
    await box().fill('riverside')
    await option(/Riverside Museum/).waitFor()
    await box().fill('order.id=87012')
    await option('Find events with order.id = 87012').waitFor()
    await box().fill('create web')
    await option('Create webhook').waitFor()
    await box().fill(webhookId)
    await choose(option(`Open ${webhookId}`))
    await page.waitForURL(`**/webhooks/${webhookId}`)
  },
)

story('an event type, a key and an audit entry are found by name or id', async () => {
  const { viewer, auditLog } = await server.graphql<{
    viewer: { apiKey: { id: string } }
    auditLog: { nodes: { id: string }[] }
  }>('{ viewer { apiKey { id } } auditLog(first: 1) { nodes { id } } }')
  const entry = auditLog.nodes[0]?.id as string
  await open('/overview')
  await page.keyboard.press('Control+k')
  await box().fill(JOINED.toUpperCase().slice(3))
  await page.getByRole('group', { name: 'Event types' }).getByRole('option').waitFor()
  await box().fill(viewer.apiKey.id)
  await choose(option(`Open ${viewer.apiKey.id}`))
  await page.waitForURL(`**/api-keys?key=${viewer.apiKey.id}`)
  const panel = page.getByRole('dialog', { name: 'Initial key' })
  await panel.waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await box().fill(entry)
  await option(`Open ${entry}`).waitFor()
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
