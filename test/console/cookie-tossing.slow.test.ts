import { describe, expect, test } from 'vitest'
import { startOidcProvider } from '../oidc-provider/oidc-provider.ts'
import { openOidcBrowser, prepareOidc } from '../server/oidc-browser.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { logLine } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'

const PUBLIC_URL = 'https://hooks.app.localhost'

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  test('a cookie of another subdomain cannot finish the sign-in of an attacker in the browser of a victim', async () => {
    await using installation = await prepareOidc(['webhooks:read'])
    const { url } = installation
    await using provider = await startOidcProvider(PUBLIC_URL)
    const environment = {
      ...installation.environment,
      POSTHORN_PUBLIC_URL: PUBLIC_URL,
      POSTHORN_OIDC_ISSUER: provider.issuer,
    }
    await using posthorn = startPosthorn(['start', '--role', 'api'], { environment })
    await logLine(posthorn, { msg: 'ready' })

    async function callbackOf(browser: typeof attacker): Promise<string> {
      const callback = new URL(await browser.choose(await browser.start(), 'operator'))
      expect(callback.origin).toBe(PUBLIC_URL)
      return url + callback.pathname + callback.search
    }
    const attacker = openOidcBrowser(url, provider)
    const callback = await callbackOf(attacker)
    const [[name, sealed]] = [...attacker.jar] as [[string, string]]
    // Browsers take a cookie with this prefix from its own host only, and one without it from any subdomain.
    expect(name).toBe('__Host-posthorn_oidc')
    const victim = openOidcBrowser(url, provider)
    victim.jar.set('posthorn_oidc', sealed)
    expect(await victim.finish(callback)).toBe('/console/sign-in?failed=expired')
    expect([...victim.jar.keys()]).toEqual(['posthorn_oidc'])

    // The victim's own sign-in succeeds beside the tossed cookie, and so would that of the attacker elsewhere.
    expect(await victim.finish(await callbackOf(victim))).toBe('/console')
    expect([...victim.jar.keys()]).toContain('__Host-posthorn_session')
    expect(await attacker.finish(callback)).toBe('/console')
  })
})
