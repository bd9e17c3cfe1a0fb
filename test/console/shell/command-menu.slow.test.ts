import type { Locator } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { VERSION } from '../../../src/lib/version.ts'
import { JOINED } from '../../support/factories.ts'
import { call, createWebhook, testDelivery, untilDelivery } from '../support/call.ts'
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
  const events = [87_012, 87_012, 87_013].map((id) => ({
    type: JOINED,
    data: { order: { id }, customer: { email: 'ada@example.org' } },
  }))
  await call(server, 'publishEvents', { input: ['PublishEventsInput!', { events }] })
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

story('a value finds the events that have it at a search key', async () => {
  await open('/overview')
  await page.keyboard.press('Control+k')
  await box().fill('87012')
  const events = page.getByRole('group', { name: 'Events', exact: true })
  await expect.poll(() => events.getByRole('option').count()).toBe(2)
  expect(await violations(page)).toEqual([])
  await choose(events.getByRole('option', { name: JOINED }).first())
  await page.waitForURL(/\/console\/events\/evt_/)
})

story('an event type, a key, an attempt and an audit entry are found by name or id', async () => {
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
  const { attemptId, deliveryId } = await firstAttempt()
  await box().fill(attemptId)
  await choose(option(/^Open attempt 1/))
  await page.waitForURL(`**/deliveries/${deliveryId}?attempt=${attemptId}`)
})

/** The delivery of a test event, and its first attempt. */
async function firstAttempt() {
  const deliveryId = await testDelivery(server, webhookId, JOINED)
  await untilDelivery(server, deliveryId, (one) => one.attemptCount > 0, 'an attempt')
  const { delivery } = await server.graphql<{
    delivery: { attempts: { nodes: { id: string }[] } }
  }>('query ($id: ID!) { delivery(id: $id) { attempts { nodes { id } } } }', { id: deliveryId })
  return { deliveryId, attemptId: delivery.attempts.nodes.at(-1)?.id as string }
}

story(
  'the box says what it takes when it finds nothing, and asks once for each pause',
  async () => {
    await open('/events')
    await page.keyboard.press('Control+k')
    let requests = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('CommandMenuSearch')) requests += 1
    })
    await box().focus()
    await typeAtOnce('no such thing')
    await page.getByText('Nothing found.').waitFor()
    expect(requests).toBe(1)
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).pathname).toBe('/console/events')
    await page.keyboard.press('Escape')
  },
)

/** Types letter by letter where the focus is, without any pause, also on a busy machine. */
async function typeAtOnce(text: string): Promise<void> {
  await page.evaluate(`{
    const input = document.activeElement
    // As a browser does. React overrides the property of the element itself.
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    let typed = ''
    for (const letter of ${JSON.stringify(text)}) {
      set.call(input, (typed += letter))
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }`)
}

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

story(
  'the header names the organization, and an operator switches and stays on the page',
  async () => {
    await open('/deliveries')
    await page.getByRole('button', { name: /^Switch organization/ }).click()
    await page.getByLabel('Search organizations').fill('no such')
    await page.getByText('No organization has this name.').waitFor()
    await page.getByLabel('Search organizations').fill('river')
    await option('Riverside Museum').click()
    await page.waitForURL(/\/console\/as\/org_[0-9a-z]{26}\/deliveries$/)
    await page
      .getByRole('button', { name: 'Switch organization, now acting for Riverside Museum' })
      .click()
    await page.getByRole('option').nth(1).waitFor()
    const current = page.getByRole('option').filter({ has: page.getByLabel('Current') })
    expect(await current.allInnerTexts()).toEqual(['Riverside Museum'])
  },
)

story('the account menu shows the version', async () => {
  await open('/event-types')
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByText(`Posthorn ${VERSION}`, { exact: true }).waitFor()
})
