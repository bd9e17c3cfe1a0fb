import { afterAll, beforeAll, expect } from 'vitest'
import { story } from '../../console/support/story.ts'
import { JOINED } from '../../support/factories.ts'
import { type HostApplication, publish, startHostApplication } from '../support/host-application.ts'

let app: HostApplication

beforeAll(async () => {
  app = await startHostApplication(18)
})
afterAll(() => app?.[Symbol.asyncDispose]())

story('with React 18, a webhook is created, listed and followed live', async () => {
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'form-and-list', requestToken: () => token })
  const form = reader.page.locator('[data-posthorn="webhook-form"]')
  await form.getByLabel('URL').fill(`${app.posthorn.receiver.url}eighteen`)
  await form.getByLabel(JOINED, { exact: true }).check()
  await form.getByRole('button', { name: 'Speichern' }).click()
  await form.getByText('Saved.').waitFor()
  await reader.page.locator('tbody').getByText('/eighteen').waitFor()

  await using follower = await app.open({ page: 'log', requestToken: () => token })
  await follower.page.locator('[data-connection="live"]').waitFor()
  await publish(app, 1)
  const row = follower.page.locator('[data-posthorn="delivery-log"] tbody tr')
  await row.waitFor()
  expect(await row.innerText()).toContain('Delivered (HTTP 200)')
})
