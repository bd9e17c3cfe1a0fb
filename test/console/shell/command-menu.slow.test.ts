import type { Locator } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call, createOrganization, createWebhook } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
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
  await rendered.and(page.locator('[data-selected]')).waitFor()
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
  await box().waitFor({ state: 'detached' })
})

story('the box opens from within a field, and says which result is selected', async () => {
  await open('/webhooks/new')
  await page.getByLabel('Description').press('Control+k')
  await box().fill('event')
  await option(JOINED).waitFor()
  await page.getByLabel('Loading').waitFor({ state: 'detached' })
  const said = (name: string) => page.getByRole('status').filter({ hasText: name })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const selected = page.locator('[role=option][aria-selected=true]')
  await said(await selected.innerText()).waitFor({ state: 'attached' })
  await page.keyboard.press('Escape')
  await box().waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/console/webhooks/new')
})
