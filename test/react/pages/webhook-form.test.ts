import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { story } from '../../console/support/story.ts'
import { violations } from '../../console/support/violations.ts'
import { document } from '../../graphql/support/document.ts'
import { JOINED } from '../../support/factories.ts'
import { call, type HostApplication, startHostApplication } from '../support/host-application.ts'

let app: HostApplication

beforeAll(async () => {
  app = await startHostApplication()
})
afterAll(() => app?.[Symbol.asyncDispose]())

story(
  'shows the problems of each field, then saves, and the list beside it reads again',
  async () => {
    const { token } = await app.createSession()
    await using reader = await app.open({ page: 'form-and-list', requestToken: () => token })
    const form = reader.page.locator('[data-posthorn="webhook-form"]')
    const url = form.getByLabel('URL')
    // A host may have texts of its own.
    const save = form.getByRole('button', { name: 'Speichern' })
    await url.fill('http://example.com/hooks')
    await save.click()
    await form.getByRole('alert').waitFor()
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    expect(await describedBy(reader.page, '[name="url"]')).toMatch(/https/)
    expect(await describedBy(reader.page, 'fieldset')).toMatch(/event/)
    // The focus moves after the problems are rendered.
    await form.locator('[name="url"]:focus').waitFor()
    expect(await violations(reader.page)).toEqual([])

    await url.fill(`${app.posthorn.receiver.url}created`)
    expect(await url.getAttribute('aria-invalid')).toBe('false')
    await form.getByLabel(JOINED, { exact: true }).check()
    await save.click()
    await form.getByText('Saved.').waitFor()
    await reader.page
      .locator('[data-posthorn="webhook-list"] tbody')
      .getByText('/created')
      .waitFor()
    expect(await url.inputValue()).toBe('')
    expect(await violations(reader.page)).toEqual([])
  },
)

story(
  'a token that ends while the user types is renewed, and the typed text is saved',
  async () => {
    const sessions = [await app.createSession(), await app.createSession()]
    let requests = 0
    await using reader = await app.open({
      page: 'form',
      requestToken: () => sessions[Math.min(requests++, 1)]?.token ?? '',
    })
    reader.expectPageErrors(/status of 401/)
    const form = reader.page.locator('[data-posthorn="webhook-form"]')
    await form.getByLabel('URL').fill(`${app.posthorn.receiver.url}typed`)
    await form.getByLabel(JOINED, { exact: true }).check()
    await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id: sessions[0]?.id })
    await form.getByLabel('Description').fill('Typed after the end')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Saved.').waitFor()
    expect(requests).toBe(2)
    expect(await urls()).toContainEqual({
      url: `${app.posthorn.receiver.url}typed`,
      description: 'Typed after the end',
    })
  },
)

story('requests that fail with the same token renew it together', async () => {
  const sessions = [await app.createSession(), await app.createSession()]
  await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id: sessions[0]?.id })
  let requests = 0
  await using reader = await app.open({
    page: 'form-and-list',
    requestToken: () => sessions[Math.min(requests++, 1)]?.token ?? '',
  })
  reader.expectPageErrors(/status of 401/)
  await reader.page.locator('[data-posthorn="webhook-form"][data-state="ready"]').waitFor()
  await reader.page.locator('[data-posthorn="webhook-list"] tbody').waitFor()
  expect(requests).toBe(2)
})

story('a host that cannot give a token ends in a state of its own', async () => {
  await using reader = await app.open({
    page: 'form',
    requestToken() {
      throw new Error('Not signed in.')
    },
  })
  const form = reader.page.locator('[data-posthorn="webhook-form"][data-state="signed-out"]')
  expect(await form.getByRole('alert').getAttribute('data-code')).toBe('NO_TOKEN')
})

story('a revoked token leaves the typed text, and says that the session has ended', async () => {
  const { id, token } = await app.createSession()
  await using reader = await app.open({ page: 'form', requestToken: () => token })
  reader.expectPageErrors(/status of 401/)
  const form = reader.page.locator('[data-posthorn="webhook-form"]')
  await form.getByLabel('Description').fill('Not lost')
  await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id })
  await form.getByRole('button', { name: 'Save' }).click()
  expect(await form.getByRole('alert').innerText()).toContain('Your session has ended.')
  expect(await form.getByLabel('Description').inputValue()).toBe('Not lost')
})

story('edits only what the user changed', async () => {
  const webhookId = await app.createWebhook('/edited')
  const headers = [{ name: 'x-team', value: 'secret' }]
  const update = document('webhooks', 'UpdateWebhook')
  await call(app.posthorn, update, { id: webhookId, input: { headers } })
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'form', webhookId, requestToken: () => token })
  const form = reader.page.locator('[data-posthorn="webhook-form"]')
  expect(await form.getByLabel('URL').inputValue()).toContain('/edited')
  await form.getByLabel('Enabled').uncheck()
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Saved.').waitFor()
  const query = 'query ($id: ID!) { webhook(id: $id) { enabled } }'
  expect((await call(app.posthorn, query, { id: webhookId })).webhook).toEqual({ enabled: false })
  const { revealHeaders } = await call(app.posthorn, document('webhooks', 'RevealHeaders'), {
    id: webhookId,
  })
  expect(revealHeaders.headers).toEqual(headers)
})

story('names the headers whose values a new origin needs again', async () => {
  const webhookId = await app.createWebhook('/moved')
  const headers = [{ name: 'x-team', value: 'secret' }]
  const update = document('webhooks', 'UpdateWebhook')
  await call(app.posthorn, update, { id: webhookId, input: { headers } })
  const { token } = await app.createSession({ scopes: ['webhooks:read', 'webhooks:write'] })
  await using reader = await app.open({ page: 'form', webhookId, requestToken: () => token })
  const form = reader.page.locator('[data-posthorn="webhook-form"]')
  await form.getByLabel('URL').fill('https://other.example/moved')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').getByText('headers.x-team needs its value again').waitFor()
  const query = 'query ($id: ID!) { webhook(id: $id) { url } }'
  expect((await call(app.posthorn, query, { id: webhookId })).webhook.url).toContain('/moved')
  expect((await call(app.posthorn, query, { id: webhookId })).webhook.url).not.toContain('other')
})

story(
  'shows both values of the fields that somebody else changed, and saves those that the user chooses',
  async () => {
    const webhookId = await app.createWebhook('/contested')
    const update = document('webhooks', 'UpdateWebhook')
    const { token } = await app.createSession()
    await using reader = await app.open({ page: 'form', webhookId, requestToken: () => token })
    const form = reader.page.locator('[data-posthorn="webhook-form"]')
    await form.getByLabel('Description').fill('Mine')
    await form.getByLabel('Enabled').uncheck()
    await call(app.posthorn, update, {
      id: webhookId,
      input: { description: 'Theirs', url: `${app.posthorn.receiver.url}theirs` },
    })
    const save = form.getByRole('button', { name: 'Save' })
    await save.click()
    const conflict = form.getByRole('alert').getByRole('region', { name: 'Description' })
    await conflict.getByText('Mine', { exact: true }).waitFor()
    await conflict.getByText('Theirs', { exact: true }).waitFor()
    // The user has not changed the URL.
    expect(await form.getByRole('region').count()).toBe(1)
    expect(await violations(reader.page)).toEqual([])
    const query = 'query ($id: ID!) { webhook(id: $id) { description enabled url } }'
    const { webhook } = await call(app.posthorn, query, { id: webhookId })
    expect(webhook).toMatchObject({ description: 'Theirs', enabled: true })
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await conflict.waitFor({ state: 'hidden' })
    await call(app.posthorn, update, { id: webhookId, input: { description: 'Theirs again' } })
    await save.click()
    await conflict.getByText('Theirs again', { exact: true }).waitFor()
    await conflict.getByRole('button', { name: 'Take theirs' }).click()
    expect(await form.getByLabel('Description').inputValue()).toBe('Theirs again')
    await save.click()
    await form.getByText('Saved.').waitFor()
    const { webhook: saved } = await call(app.posthorn, query, { id: webhookId })
    const url = `${app.posthorn.receiver.url}theirs`
    expect(saved).toEqual({ description: 'Theirs again', enabled: false, url })
  },
)

story('without the scope webhooks:write there is no form', async () => {
  const { token } = await app.createSession({ scopes: ['webhooks:read'] })
  await using reader = await app.open({ page: 'form', requestToken: () => token })
  const form = reader.page.locator('[data-posthorn="webhook-form"][data-state="forbidden"]')
  expect(await form.innerText()).toBe('You may not change webhooks.')
})

story('a webhook that does not exist is named', async () => {
  const { token } = await app.createSession()
  const webhookId = 'wh_01arz3ndektsv4rrffq69g5fav'
  await using reader = await app.open({ page: 'form', webhookId, requestToken: () => token })
  const form = reader.page.locator('[data-posthorn="webhook-form"][data-state="failed"]')
  expect(await form.getByRole('alert').innerText()).toContain(`There is no webhook ${webhookId}.`)
})

/** The text that describes a field to screen readers. */
async function describedBy(page: Page, selector: string): Promise<string> {
  const ids = await page.locator(selector).first().getAttribute('aria-describedby')
  const texts = (ids ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).innerText())
  return (await Promise.all(texts)).join('\n')
}

async function urls(): Promise<{ url: string; description: string | null }[]> {
  const { webhooks } = await call(app.posthorn, '{ webhooks { nodes { url description } } }', {})
  return webhooks.nodes
}
