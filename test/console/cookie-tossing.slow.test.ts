import { once } from 'node:events'
import { request as forward, type IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import { afterAll, describe, expect } from 'vitest'
import { createTestAuthority } from '../outbound/certificates.ts'
import { openOidcBrowser } from '../server/oidc-browser.ts'
import { freePort } from '../support/free-port.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { browser, story } from './support/desk.ts'
import { addRoleKey, openOidcDesk, provider } from './support/oidc-desk.ts'

/** Posthorn at `hooks.app.localhost`, and an attacker who controls another subdomain of `app.localhost`. */
let posthornUrl: string
let front: Server
let publicUrl: string
let evilUrl: string
/** What the page of the attacker answers with. */
let toss: { readonly cookies: string[]; readonly location: string }
const callbacks: IncomingMessage[] = []

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  openOidcDesk(async (port) => {
    const frontPort = await freePort()
    publicUrl = `https://hooks.app.localhost:${frontPort}`
    evilUrl = `https://evil.app.localhost:${frontPort}`
    posthornUrl = `http://127.0.0.1:${port}`
    front = await startFront(frontPort, port)
    return publicUrl
  })
  afterAll(() => {
    front?.closeAllConnections()
    front?.close()
  })

  /** Ends TLS for both hosts. */
  async function startFront(port: number, posthornPort: number): Promise<Server> {
    const authority = await createTestAuthority()
    const certificate = await authority.issue(['hooks.app.localhost', 'evil.app.localhost'])
    const server = createServer(certificate, (incoming, outgoing) => {
      if (incoming.headers.host?.startsWith('evil.')) {
        return void outgoing
          .writeHead(302, { 'set-cookie': toss.cookies, location: toss.location })
          .end()
      }
      if (incoming.url?.startsWith('/console/session/oidc/callback')) callbacks.push(incoming)
      const { method, url: path, headers } = incoming
      const upstream = forward({ host: '127.0.0.1', port: posthornPort, method, path, headers })
      upstream.on('response', (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      })
      upstream.on('error', () => outgoing.destroy())
      incoming.pipe(upstream)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  story('another subdomain cannot finish its own sign-in in the browser of a victim', async () => {
    await addRoleKey()
    const attacker = openOidcBrowser(posthornUrl, provider)
    const location = await attacker.choose(await attacker.start(), 'operator')
    const [[name, sealed]] = [...attacker.jar] as [[string, string]]
    const at = 'Domain=app.localhost; Path=/console/session/oidc; Secure'
    toss = {
      location,
      cookies: [
        `posthorn_oidc=${sealed}; ${at}`,
        `__Host-posthorn_oidc=${sealed}; ${at}`,
        `__Host-posthorn_oidc=${sealed}; Domain=app.localhost; Path=/; Secure`,
      ],
    }
    const victim = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await victim.newPage()
    await page.goto(evilUrl)
    await page.waitForURL(`${publicUrl}/console/sign-in?failed=expired`)
    // The browser took and sent only the cookie without the prefix.
    expect(callbacks.map(({ headers }) => headers.cookie)).toEqual([`posthorn_oidc=${sealed}`])
    expect(
      (await victim.cookies(publicUrl)).filter((cookie) => /session/.test(cookie.name)),
    ).toEqual([])
    expect(name).toBe('__Host-posthorn_oidc')

    // The victim's own sign-in succeeds beside the tossed cookie, and so would that of the attacker elsewhere.
    await page.goto(`${publicUrl}/console/session/oidc`)
    await page.getByRole('link', { name: 'operator' }).click()
    await page.waitForURL(/\/console\/(?!sign-in)/)
    const own = (await victim.cookies(publicUrl)).filter(
      ({ domain }) => domain === 'hooks.app.localhost',
    )
    expect(own).toMatchObject([
      {
        name: '__Host-posthorn_session',
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
    ])
    await victim.close()
    const finished = new URL(location)
    const elsewhere = await attacker.get(posthornUrl + finished.pathname + finished.search)
    expect(elsewhere.headers.get('location')).toBe('/console')
  })
})
