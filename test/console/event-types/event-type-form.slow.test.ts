import { expect } from 'vitest'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { expectUsable } from '../support/layout.ts'

openDesk(startConsoleServer)

const field = (name: string) => page.getByRole('textbox', { name })
const typed = '{ node(id: "type_order.shipped") { ... on EventType { searchKeys archivedAt } } }'

story(
  'a rejected name has its error at the field, and the other fields keep their values',
  async () => {
    await open('/event-types/new')
    await expect
      .poll(() => field('Name').evaluate((it) => it === document.activeElement))
      .toBe(true)
    await field('Name').fill('order shipped')
    await field('Description').fill('An order has left the warehouse.')
    await field('Search keys').fill('$.order.id\n\n $.customer')
    await page.getByRole('button', { name: 'Create event type' }).click()
    await page.locator('[aria-invalid=true]').and(field('Name')).waitFor()
    await expectUsable(page)
    await field('Name').fill('order.shipped')
    await page.getByRole('button', { name: 'Create event type' }).click()
    await page.getByText('order.shipped was created.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'order.shipped' }).waitFor()
    const { node } = await server.graphql(typed)
    expect(node).toEqual({ searchKeys: ['$.order.id', '$.customer'], archivedAt: null })
  },
)

story('an event type is archived under Advanced, and goes from the list', async () => {
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Advanced' }).click()
  await page.getByRole('switch', { name: 'Archived' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('order.shipped was saved.').waitFor()
  expect((await server.graphql(typed)).node.archivedAt).not.toBeNull()
  await open('/event-types')
  expect(await page.getByRole('link', { name: 'order.shipped' }).count()).toBe(0)
  await page.getByRole('switch', { name: 'Show archived' }).click()
  await page.getByRole('link', { name: 'order.shipped' }).waitFor()
})
