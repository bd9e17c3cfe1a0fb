import { expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { subscribe } from './support/subscribe.ts'

/** An operator creates an organization, acts for it and deletes it. */

openDesk()

story('an operator creates an organization and its first key, whose token shows once', async () => {
  await open('/organizations')
  await page.getByRole('button', { name: 'Create organization' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Riverside Museum')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'Create first API key' }).click()
  await page.getByRole('link', { name: 'Acting for Riverside Museum' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/as\/org_[0-9a-z]{26}\/api-keys$/)

  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('First of the museum')
  await form.getByRole('button', { name: /Publisher/ }).click()
  await form.getByRole('button', { name: /^Create/ }).click()
  await page.getByText('it will not be shown again').waitFor()
  const key = await page.getByLabel(/^Token of/).inputValue()
  const { viewer } = await server.graphql('{ viewer { organization { name } } }', {}, key)
  expect(viewer.organization.name).toBe('Riverside Museum')
  await page.reload()
  await waitUntilLoaded(page)
  expect(await page.content()).not.toContain(key)
})

story('a webhook created for another organization belongs to that organization only', async () => {
  await open('/organizations')
  await page.getByLabel('Search', { exact: true }).fill('no such name')
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByLabel('Search', { exact: true }).fill('river')
  await page.getByRole('table').getByRole('link', { name: 'Riverside Museum' }).click()
  await waitUntilLoaded(page)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('link', { name: 'Create webhook' }).first().click()
  await page.getByLabel('URL').fill(`${server.receiver.url}museum`)
  await subscribe(page, JOINED)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('tab', { name: 'Settings' }).waitFor()
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByRole('menuitem', { name: 'Back to your own organization' }).click()
  await open('/webhooks')
  await page.getByText('webhook', { exact: false }).first().waitFor()
  expect(await page.getByText('museum').count()).toBe(0)
})

story('an operator types the name of an organization to delete it, and sees it gone', async () => {
  await open('/organizations')
  await page.getByRole('button', { name: 'Actions for Riverside Museum' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  const button = dialog.getByRole('button', { name: 'Delete', exact: true })
  const name = dialog.getByLabel('Type Riverside Museum to confirm')
  await name.fill('Riverside')
  expect(await button.isDisabled()).toBe(true)
  await name.fill('Riverside Museum')
  await dialog.getByLabel('Also if it has enabled webhooks').check()
  await button.click()
  await page.getByText('Riverside Museum is deleted.').waitFor()
  const deletions = page.getByRole('alert').filter({ hasText: 'Deleted organizations' })
  await deletions
    .getByText(/^Deleted, with [\d,]+ rows\./)
    .first()
    .waitFor({ timeout: 60_000 })
  // The list is another query.
  await page
    .getByRole('button', { name: 'Actions for Riverside Museum' })
    .waitFor({ state: 'detached' })
})
