import { expect } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { startConsoleServer } from '../support/console-server.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'

openDesk(async () => {
  const port = await freePort()
  return await startConsoleServer({
    environment: {
      PORT: `${port}`,
      POSTHORN_SMTP_URL: 'smtp://127.0.0.1:1',
      POSTHORN_EMAIL_FROM: 'posthorn@example.com',
      POSTHORN_PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
  })
})

const own = () => page.getByRole('region', { name: /^E-mail about / })

async function addresses() {
  const { alertAddresses } = await server.graphql(
    '{ alertAddresses { email kinds portalPageUrl rejection } }',
  )
  return alertAddresses
}

story('an address is added with its kinds, and a wrong one is refused at its field', async () => {
  await open('/alerts')
  await own().getByText('No addresses').waitFor()
  await own().getByRole('button', { name: 'Add address' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail address').fill('nobody')
  await dialog.getByRole('button', { name: /^Advanced/ }).click()
  await dialog.getByLabel('Portal page').fill('http://app.example.com')
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await dialog.getByText('email must be one e-mail address', { exact: false }).waitFor()
  await dialog.getByLabel('E-mail address').fill('ada@example.com')
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await dialog.getByText('portalPageUrl must be an https:// URL', { exact: false }).waitFor()
  await dialog.getByLabel('Portal page').fill('https://app.example.com/webhooks')
  await dialog.getByRole('checkbox', { name: 'API key created' }).check()
  await dialog.getByRole('button', { name: 'Add address' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await own().getByRole('link', { name: 'ada@example.com' }).waitFor()
  await own().getByText('Waiting for confirmation').waitFor()
  expect(await addresses()).toEqual([
    {
      email: 'ada@example.com',
      kinds: expect.arrayContaining(['WEBHOOK_ON_HOLD', 'API_KEY_CREATED']),
      portalPageUrl: 'https://app.example.com/webhooks',
      rejection: null,
    },
  ])
})

story('a rejected address shows what the mail server said, and gets another link', async () => {
  await using database = await server.openDatabase()
  await database.pool.query(
    `update posthorn.alert_addresses set confirmed_at = null, rejection = '550 No such user'`,
  )
  await page.reload()
  await own().getByText('Rejected').waitFor()
  await own().getByText('550 No such user', { exact: false }).waitFor()
  await own().getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save and send link' }).click()
  await own().getByText('Waiting for confirmation').waitFor()
  expect(await addresses()).toMatchObject([{ rejection: null }])
})

story('an address is removed after a question', async () => {
  await own().getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove address' }).click()
  await own().getByText('No addresses').waitFor()
  expect(await addresses()).toEqual([])
})

story('operational events are switched on, and a webhook for them is two clicks away', async () => {
  const events = page.getByRole('region', { name: 'Operational events' })
  await events.getByRole('switch', { name: 'Publish operational events' }).click()
  await events.getByRole('switch', { name: /gets the alerts of all organizations/ }).click()
  await expect
    .poll(() => server.graphql('{ operationalEvents { enabled operatorOrganization { name } } }'))
    .toMatchObject({ operationalEvents: { enabled: true, operatorOrganization: {} } })
  await events.getByRole('link', { name: 'Create a webhook that receives them' }).click()
  await page.getByText('posthorn.webhook.on_hold', { exact: true }).waitFor()
  // The hidden list of the field has each type that is not chosen.
  const other = page.getByText('posthorn.secret.rotated', { exact: true })
  await expect.poll(() => other.count()).toBe(1)
  expect(await other.isVisible()).toBe(false)
})
