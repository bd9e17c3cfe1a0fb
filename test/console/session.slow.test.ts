import { describe, expect } from 'vitest'
import { requirePackages } from '../support/installed-packages.ts'
import { call } from './support/call.ts'
import { browser, server, story } from './support/desk.ts'
import { addRoleKey, openOidcDesk, provider } from './support/oidc-desk.ts'
import { submitApiKey, waitUntilLoaded } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  // A browser sees another site than Posthorn's: `127.0.0.1`.
  openOidcDesk((port) => `http://localhost:${port}`)

  const UNAUTHORIZED = /status of 401|status of 403/

  story('the link that startup prints signs in once, without a failed request', async () => {
    await using first = await visit(browser, { origins: [server.url] })
    await first.page.goto(server.signInLink)
    await waitUntilLoaded(first.page)
    expect(first.page.url()).not.toContain('link=')

    await using second = await visit(browser, { origins: [server.url] })
    second.expectPageErrors(UNAUTHORIZED)
    await second.page.goto(server.signInLink)
    await expectText(second.page.getByRole('alert'), /used already/)
    expect(await second.page.getByLabel('API key', { exact: true }).isVisible()).toBe(true)
  })

  story('an invalid key is rejected beside its field, and a valid one is not stored', async () => {
    await using reader = await visit(browser, { origins: [server.url] })
    const { page } = reader
    reader.expectPageErrors(UNAUTHORIZED)
    await page.goto(`${server.url}/console/webhooks`)
    await submitApiKey(page, 'phk_nothing')
    await expectText(page.getByRole('alert'), /key/i)
    await submitApiKey(page, server.token)
    await waitUntilLoaded(page)
    expect(new URL(page.url()).pathname).toBe('/console/webhooks')
    const readable = await page.evaluate<string>(
      'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    )
    expect(readable).not.toMatch(/phk_|posthorn_session/)
  })

  story('a revoked key ends the session with a reason, and signing in leads back', async () => {
    const input = { scopes: ['webhooks:read', 'deliveries:read'] }
    const fields = 'createdApiKey { token apiKey { id } }'
    const { createdApiKey } = await call(server, 'createApiKey', { input }, fields)
    await using reader = await visit(browser, { origins: [server.url] })
    const { page } = reader
    reader.expectPageErrors(UNAUTHORIZED)
    await page.goto(`${server.url}/console/deliveries?state=EXHAUSTED`)
    await submitApiKey(page, createdApiKey.token)
    await waitUntilLoaded(page)
    await call(server, 'revokeApiKey', { id: createdApiKey.apiKey.id })
    // The server closes the live stream, so the reader sees this without a click.
    await page.getByText('Your session has ended').waitFor()
    await page.getByText(/API key .*(revoked|expired)/).waitFor()
    await submitApiKey(page, server.token)
    await waitUntilLoaded(page)
    expect(page.url()).toBe(`${server.url}/console/deliveries?state=EXHAUSTED`)
  })

  story('a person signs in at the provider, and the menu and the audit log name them', async () => {
    await addRoleKey()
    await using reader = await visit(browser, { origins: [server.url, provider.issuer] })
    const { page } = reader
    reader.expectPageErrors(UNAUTHORIZED)
    await page.goto(`${server.url}/console`)
    const signInWith = page.getByRole('link', { name: /^Sign in with 127[.]0[.]0[.]1/ })
    await signInWith.click()
    await page.getByRole('link', { name: 'cancel' }).click()
    await page.getByText('The sign-in was canceled at the provider.').waitFor()
    await signInWith.click()
    await page.getByRole('link', { name: 'operator' }).click()
    await waitUntilLoaded(page)

    await page.getByRole('button', { name: 'Account and appearance' }).click()
    await page.getByRole('menu').getByText(PERSON).waitFor()
    await page.goto(`${server.url}/console/audit-log`)
    await waitUntilLoaded(page)
    await page.getByRole('combobox', { name: 'Actor' }).click()
    await page.getByRole('option', { name: PERSON }).click()
    const entry = page.getByRole('row').filter({ hasText: PERSON }).first()
    await entry.getByRole('link', { name: 'Support' }).waitFor()
    await entry.getByRole('link', { name: 'Signed in' }).click()
    await page.getByRole('link', { name: `All changes by ${PERSON}` }).click()
    await entry.waitFor()
  })

  const PERSON = 'Person A <operator@example.com>'

  async function expectText(
    found: { textContent(): Promise<string | null> },
    pattern: RegExp,
  ): Promise<void> {
    await expect.poll(async () => await found.textContent()).toMatch(pattern)
  }
})
