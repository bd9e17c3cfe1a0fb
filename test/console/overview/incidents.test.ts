import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { type SeededServer, seedServer } from '../seed.ts'
import { call } from '../support/call.ts'
import { misfits } from '../support/layout.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { violations } from '../support/violations.ts'
import { type Visit, visit } from '../support/visit.ts'

/* Accounting is on hold; two other webhooks are failing. */
let browser: Browser
let seed: SeededServer
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  seed = await seedServer()
  reader = await visit(browser, { origins: [seed.server.url], signedInTo: seed.server })
})
afterAll(async () => {
  await browser?.close()
  await seed?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await using database = await seed.server.openDatabase()
  await database.pool.query(
    `update posthorn.incidents set acknowledged_at = null, acknowledged_by = null, assignee = null,
       snoozed_until = null, snoozed_state = null where closed_at is null`,
  )
})

async function go(path = '/overview') {
  await reader.page.goto(`${seed.server.url}/console${path}`)
  await waitUntilLoaded(reader.page)
  return reader.page
}

const section = () => reader.page.getByRole('region', { name: 'Incidents' })
const rowOf = (name: string) => section().getByRole('row').filter({ hasText: name })

async function openMenu(name: string) {
  await section()
    .getByRole('button', { name: `More actions: ${name}` })
    .click()
  return reader.page.getByRole('menu')
}

story(
  'the incidents are one list, the worst first, each with its cause and its counts',
  async () => {
    await go()
    await rowOf('Accounting').waitFor()
    const states = section().locator('tbody .ph-state')
    expect(await states.allInnerTexts()).toEqual(['On hold', 'Failing', 'Failing'])
    await expect.poll(() => rowOf('badges.example').innerText()).toMatch(/404 · .*Nobody/s)
    await rowOf('badges.example')
      .getByRole('img', { name: /^Failed attempts in each of the last 12 hours: 0, / })
      .waitFor()
  },
)

story('the cause of an incident leads to exactly its attempts', async () => {
  const page = await go()
  await rowOf('badges.example')
    .getByRole('link', { name: /^404 · / })
    .click()
  await page.getByRole('heading', { name: 'Attempts' }).waitFor()
  await waitUntilLoaded(page)
  const rows = page.getByRole('table', { name: 'Attempts' }).getByRole('row')
  await expect.poll(() => rows.count()).toBeGreaterThan(1)
  for (const text of (await rows.allInnerTexts()).slice(1)) expect(text).toContain('404')
})

story('a person acknowledges an incident and takes it, and others see who did', async () => {
  const page = await go()
  await section().getByRole('button', { name: 'Acknowledge: Accounting' }).click()
  await page.getByText('Incident acknowledged.').waitFor()
  await expect.poll(() => rowOf('Accounting').innerText()).toContain('Acknowledged')
  expect(await section().getByRole('button', { name: 'Acknowledge: Accounting' }).count()).toBe(0)

  await (await openMenu('Accounting')).getByRole('menuitem', { name: 'Assign' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Grace Hopper')
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await expect.poll(() => rowOf('Accounting').innerText()).toContain('Grace Hopper')

  await go(`/webhooks/${seed.webhooks.ledger}`)
  await page.getByText(/Acknowledged by .*\. Assigned to Grace Hopper\./).waitFor()
  await go(`/webhooks/${seed.webhooks.ledger}?tab=history`)
  await page.getByText(/Assigned to Grace Hopper, by /).waitFor()
  await page.getByText(/Opened: /).waitFor()
})

story('a snoozed incident leaves the list, and returns when its time is over', async () => {
  const page = await go()
  await (await openMenu('badges.example'))
    .getByRole('menuitem', { name: 'Snooze for an hour' })
    .click()
  await rowOf('badges.example').waitFor({ state: 'detached' })
  const switches = section().getByRole('radiogroup', { name: 'State of incidents' })
  await switches.getByText('Snoozed 1').click()
  await rowOf('badges.example').waitFor()
  expect(page.url()).toContain('incidents=snoozed')

  await using database = await seed.server.openDatabase()
  await database.pool.query(
    `update posthorn.incidents set snoozed_until = now() where snoozed_until is not null`,
  )
  await go()
  await rowOf('badges.example').waitFor()
  await section().getByText('Snoozed', { exact: true }).waitFor()
})

story('a snooze of another time says what is wrong with the time', async () => {
  const page = await go()
  await (await openMenu('badges.example'))
    .getByRole('menuitem', { name: 'Snooze until another time' })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Until/).fill('2020-01-01T12:00')
  await dialog.getByRole('button', { name: 'Snooze' }).click()
  await dialog.getByText(/must be in the future, within 90 days/).waitFor()
  await page.keyboard.press('Escape')
})

story('an incident that is over is listed with how long it lasted', async () => {
  await using database = await seed.server.openDatabase()
  await database.pool.query(
    `insert into posthorn.incidents (organization_id, webhook_id, webhook_state, cause, opened_at, closed_at, close_reason,
       peak_waiting)
     select organization_id, id, 'behind', null, now() - interval '75 hours', now() - interval '72 hours', 'recovered', 1200
     from posthorn.webhooks where id = $1`,
    [parseId('webhook', seed.webhooks.crm)],
  )
  await go('/overview?incidents=over')
  await section().getByText('7 days').click()
  await expect
    .poll(() => rowOf('Customer relations').innerText())
    .toMatch(/Behind[\s\S]*3 hr[\s\S]*Recovered[\s\S]*1,200/)
  await section().getByText('24 hours').click()
  await rowOf('Customer relations').waitFor({ state: 'detached' })
})

story('with the keyboard alone an incident is acknowledged and snoozed', async () => {
  const page = await go()
  const button = section().getByRole('button', { name: 'Acknowledge: Statistics of the fair' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => rowOf('Statistics of the fair').innerText()).toContain('Acknowledged')
  await section().getByRole('button', { name: 'More actions: Statistics of the fair' }).focus()
  await page.keyboard.press('Enter')
  const item = page.getByRole('menuitem', { name: 'Snooze for a week' })
  await item.waitFor()
  const isReached = () => item.evaluate((element) => element === document.activeElement)
  for (let i = 0; i < 10 && !(await isReached()); i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await rowOf('Statistics of the fair').waitFor({ state: 'detached' })
})

story('a reader who may change nothing sees the incidents without the acts', async () => {
  const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
    seed.server,
    'createApiKey',
    {
      input: [
        'CreateApiKeyInput!',
        { name: 'Reader', scopes: ['webhooks:read', 'deliveries:read', 'events:read'] },
      ],
    },
    'createdApiKey { token }',
  )
  await using other = await visit(browser, {
    origins: [seed.server.url],
    signedInTo: { url: seed.server.url, token: createdApiKey.token },
  })
  await other.page.goto(`${seed.server.url}/console/overview`)
  await waitUntilLoaded(other.page)
  const incidents = other.page.getByRole('region', { name: 'Incidents' })
  await incidents.getByRole('row').filter({ hasText: 'Accounting' }).waitFor()
  expect(await incidents.getByRole('button').count()).toBe(0)
})

story('the list fits every width, and it and its dialogs are accessible', async () => {
  const page = await go()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [360, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect.soft(await misfits(page), `${colorScheme}, ${width}`).toEqual([])
    }
    expect.soft(await violations(page), colorScheme).toEqual([])
    await openMenu('Accounting')
    await page.getByRole('menuitem', { name: 'Assign' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    expect.soft(await violations(page), `${colorScheme}, dialog`).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})
