import { beforeAll, expect } from 'vitest'
import { call } from '../support/call.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

openDesk(startConsoleServer)

beforeAll(async () => {
  await call(server, 'createOrganization', {
    input: ['CreateOrganizationInput!', { name: 'Riverside Museum' }],
  })
})

story(
  'an operator types the name of an organization to delete it, and sees that it is deleted',
  async () => {
    await open('/organizations')
    await page.getByRole('link', { name: 'Delete Riverside Museum' }).click()
    const dialog = page.getByRole('dialog')
    const button = dialog.getByRole('button', { name: 'Delete', exact: true })
    await dialog.getByLabel('Type Riverside Museum to confirm').fill('Riverside')
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Riverside Museum to confirm').fill('Riverside Museum')
    await button.click()
    await page.getByText('Riverside Museum is deleted.').waitFor()
    const deletions = page.getByRole('alert').filter({ hasText: 'Deleted organizations' })
    await deletions.getByText(/^Deleted, with [\d,]+ rows\./).waitFor({ timeout: 60_000 })
    // The list is another query.
    await page.getByRole('link', { name: 'Delete Riverside Museum' }).waitFor({ state: 'detached' })
  },
)
