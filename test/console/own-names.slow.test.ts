import { expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { call } from './support/call.ts'
import { open, openDesk, page, server, story } from './support/desk.ts'
import { violations } from './support/violations.ts'

/** An operator gives a webhook and an organization names of their own, and finds them by these. */

openDesk()

story('a webhook gets a uid and labels, shows them, and is found by a label', async () => {
  await open('/webhooks/new')
  await page.getByLabel('URL').fill(`${server.receiver.url}named`)
  await page.getByRole('checkbox', { name: JOINED }).check()
  await page.getByLabel('Uid').fill('orders')
  const labels = page.getByLabel('Labels')
  await labels.fill('team')
  await page.getByText('Write each label on a line of its own').waitFor()
  await labels.fill('team=payments\nregion=eu')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByText('orders', { exact: true }).waitFor()
  await page.getByText('region=eu\nteam=payments').waitFor()

  await page.getByRole('link', { name: 'Edit' }).click()
  expect(await labels.inputValue()).toBe('region=eu\nteam=payments')
  await page.getByLabel('Uid').fill('wh_01h455vb4pex5vsknk084sn02q')
  await page.getByRole('button', { name: 'Save' }).click()
  const names = page.getByRole('region', { name: 'Names of your own' })
  await names.getByText('must not be spelled like an id').waitFor()
  await page.getByLabel('Uid').fill('orders/eu')
  await labels.fill('team=payments')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('tab', { name: 'Settings' }).waitFor()

  await open('/webhooks')
  const row = page.getByRole('row').filter({ hasText: 'named' })
  await page.getByLabel('Label', { exact: true }).fill('team=sales')
  await row.waitFor({ state: 'hidden' })
  await page.getByLabel('Label', { exact: true }).fill('team=payments')
  await row.waitFor()
  await page.getByLabel('Label', { exact: true }).fill('')
  await page.getByLabel('Search', { exact: true }).fill('orders/e')
  await row.waitFor()
})

story('an organization gets a uid and labels, and is found by them', async () => {
  await call(server, 'createOrganization', {
    input: ['CreateOrganizationInput!', { name: 'Acme' }],
  })
  await open('/organizations')
  await page.getByRole('link', { name: 'Edit Acme' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit organization' })
  await dialog.getByLabel('Uid').fill('acme 1')
  await dialog.getByLabel('Labels').fill('plan')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Write each label on a line of its own').waitFor()
  await dialog.getByLabel('Labels').fill('plan=pro')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const row = page.getByRole('row').filter({ hasText: 'acme 1' })
  await row.waitFor()
  await page.getByLabel('Label', { exact: true }).fill('plan=free')
  await row.waitFor({ state: 'hidden' })
  await page.getByLabel('Label', { exact: true }).fill('plan=pro')
  await row.waitFor()
})
