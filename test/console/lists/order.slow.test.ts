import { beforeAll, expect } from 'vitest'
import { untilCount } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { expectUsable } from '../support/layout.ts'
import { addWebhook, publish } from './support.ts'

/** Two pages. */
const EVENTS = 30

openDesk()

beforeAll(async () => {
  await addWebhook(server, 'shop')
  await publish(server, EVENTS)
  await addWebhook(server, 'archive')
  await untilCount(server, { states: ['SUCCEEDED'] }, EVENTS)
})

/** The column with the time of each list. */
const LISTS = [
  ['Deliveries', '/deliveries', 'Created'],
  ['Events', '/events', 'Published'],
] as const

story.each(LISTS)('%s are read from both ends, page by page', async (list, path, time) => {
  await open(path)
  const newest = await linksOf(list)
  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(() => linksOf(list)).toHaveLength(EVENTS - 25)
  const all = [...newest, ...(await linksOf(list))]
  expect(new Set(all).size).toBe(EVENTS)

  await open(path)
  const header = page.getByRole('table', { name: list, exact: true }).getByRole('columnheader', {
    name: time,
  })
  await header.getByRole('img', { name: 'Sorted descending' }).waitFor()
  await expectUsable(page)
  await header.getByRole('link').click()
  await page.waitForURL('**order=OLDEST_FIRST**')
  await header.getByRole('img', { name: 'Sorted ascending' }).waitFor()
  await expect.poll(() => linksOf(list)).toEqual(all.toReversed().slice(0, 25))
  await page.getByRole('button', { name: 'Next' }).click()
  await expect.poll(() => linksOf(list)).toEqual(all.toReversed().slice(25))
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect.poll(() => linksOf(list)).toEqual(all.toReversed().slice(0, 25))
  await header.getByRole('link').click()
  await expect.poll(() => linksOf(list)).toEqual(all.slice(0, 25))
})

/** The addresses of the rows, without their parameters. */
async function linksOf(list: string): Promise<string[]> {
  const links = page.getByRole('table', { name: list, exact: true }).locator('a.ph-row-link')
  return await links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''))
}
