import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from '../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { misfits } from '../support/layout.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { violations } from '../support/violations.ts'
import { type Visit, visit } from '../support/visit.ts'

const TYPE = 'customer.updated'

let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  const type = { name: TYPE, description: 'A customer changed.', searchKeys: ['$.email'] }
  await call(server, 'createEventType', { input: ['CreateEventTypeInput!', type] })
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
  page = reader.page
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

async function publish(email: string): Promise<string> {
  const input = { type: TYPE, data: { email } }
  const fields = 'publishedEvent { id }'
  type Published = { publishedEvent: { id: string } }
  const published = await call<Published>(
    server,
    'publishEvent',
    { input: ['PublishEventInput!', input] },
    fields,
  )
  return published.publishedEvent.id
}

const dialog = () => page.getByRole('dialog', { name: 'Erase contents' })

story('events of a search key are counted, erased and reported, and others stay', async () => {
  const ada = await publish('ada@example.org')
  await publish('ada@example.org')
  const bob = await publish('bob@example.org')
  await page.goto(`${server.url}/console/events`)
  await waitUntilLoaded(page)
  expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(0)

  await page.goto(`${server.url}/console/events?key=%24.email&value=ada%40example.org`)
  await page.getByRole('button', { name: 'Erase…' }).click()
  await dialog().getByText('Events to erase: 2.').waitFor()
  await dialog().getByText('$.email = ada@example.org').waitFor()
  expect(await violations(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Erase' }).click()
  await dialog().getByText('Everything is erased.').waitFor()
  const report = await dialog().getByRole('table', { name: 'Erased' }).innerText()
  expect(report.replaceAll(/\s+/g, ' ')).toBe('Payloads of events 2 Search keys 2')
  expect(await violations(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Close' }).last().click()
  await dialog().waitFor({ state: 'detached' })

  await page.goto(`${server.url}/console/events/${ada}`)
  await page.getByText('The payload was erased.').waitFor()
  expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(0)
  await page.goto(`${server.url}/console/events/${bob}`)
  await page.getByText('bob@example.org').first().waitFor()
})

story('an erasure that is refused says why, and erases nothing', async () => {
  const id = await publish('eve@example.org')
  await page.goto(`${server.url}/console/events?key=%24.unknown&value=eve%40example.org`)
  await page.getByRole('button', { name: 'Erase…' }).click()
  await dialog()
    .getByText(/must be a search key of an event type/)
    .waitFor()
  expect(await dialog().getByRole('button', { name: 'Erase' }).isDisabled()).toBe(true)
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await page.goto(`${server.url}/console/events/${id}`)
  await page.getByText('eve@example.org').first().waitFor()
})
