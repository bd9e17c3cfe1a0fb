import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { call } from '../../support/call.ts'
import { JOINED } from '../../support/catalogue.ts'
import { type ConsoleServer, startConsoleServer } from '../../support/console-server.ts'
import { story, storyBrowser } from '../../support/story.ts'
import { type Visit, visit } from '../../support/visit.ts'

let browser: Browser
let server: ConsoleServer
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  reader = await visit(browser, { origins: [server.url], signedInTo: server })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story(
  'a folded part of a body stays folded while other parts are folded and unfolded',
  async () => {
    const data = { buyer: { name: 'Ada' }, seats: ['A1', 'A2'], note: 'x'.repeat(400) }
    const { publishedEvents } = await call<{ publishedEvents: { event: { id: string } }[] }>(
      server,
      'publishEvents',
      { input: ['PublishEventsInput!', { events: [{ type: JOINED, data }] }] },
      'publishedEvents { event { id } }',
    )
    const { page } = reader
    await page.goto(`${server.url}/console/events/${publishedEvents[0]?.event.id}`)
    const tree = page.getByRole('tree', { name: 'Body' })
    const branch = (name: string) => tree.getByRole('treeitem', { name: new RegExp(`"${name}":`) })
    const isOpen = async (name: string) => await branch(name).getAttribute('aria-expanded')
    await branch('buyer').waitFor()
    expect(await isOpen('buyer')).toBe('true')

    await branch('buyer').click()
    await branch('seats').click()
    expect([await isOpen('buyer'), await isOpen('seats')]).toEqual(['false', 'false'])
    await branch('note').click()
    expect(await branch('note').innerText()).toContain('x'.repeat(400))
    await branch('buyer').click()
    expect([await isOpen('buyer'), await isOpen('seats')]).toEqual(['true', 'false'])
    expect(await branch('note').innerText()).toContain('x'.repeat(400))

    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    expect(await isOpen('data')).toBe('false')
    await branch('data').click()
    expect(await isOpen('seats')).toBe('false')
  },
)
