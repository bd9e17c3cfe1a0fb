import { publicId } from '../../src/db/ids.ts'
import { CLIENT, type OidcProvider, startOidcProvider } from '../oidc-provider/oidc-provider.ts'
import { createApiKey } from '../support/api-keys.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'

export const START = '/console/session/oidc'

/** A browser that keeps the cookies of each origin and follows no redirect by itself. */
export function openOidcBrowser(url: string, { issuer }: OidcProvider) {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (target: URL) => {
    const jar = jars.get(target.origin) ?? new Map<string, string>()
    jars.set(target.origin, jar)
    return jar
  }
  async function get(at: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(at)
    const jar = jarOf(target)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as object), ...(cookie && { cookie }) }
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (!name || value === undefined) continue
      if (value === '' || /Max-Age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  const locationOf = (response: Response, base: string) =>
    new URL(response.headers.get('location') ?? '', base).href
  return {
    /** The cookies for Posthorn. */
    jar: jarOf(new URL(url)),
    get,
    /** Starts a sign-in, and returns the URL of the provider. */
    start: async () => locationOf(await get(url + START), url),
    /** Chooses a person or a failure at the provider, and returns the URL of the callback. */
    async choose(authorization: string, choice: string) {
      let at = locationOf(await get(authorization), issuer)
      at = locationOf(await get(`${at}/${choice}`), issuer)
      return locationOf(await get(at), issuer)
    },
    /** Opens the URL of the callback, and returns the path that it leads to. */
    async finish(callback: string) {
      const landed = new URL(locationOf(await get(callback), url))
      return landed.pathname + landed.search
    },
    // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
    async graphql(query: string, variables: object = {}): Promise<any> {
      const response = await get(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'posthorn-console': '1' },
        body: JSON.stringify({ query, variables }),
      })
      return await response.json()
    },
  }
}

/** Signs in with a new browser, and returns the path that the callback leads to. */
export async function signInAs(url: string, provider: OidcProvider, choice: string) {
  const browser = openOidcBrowser(url, provider)
  const landed = await browser.finish(await browser.choose(await browser.start(), choice))
  return { browser, landed }
}

export type OidcInstallation = Awaited<ReturnType<typeof prepareOidc>>

/**
 * What a process at a port of its own needs that signs people in by a provider, with the organization and the scopes of one
 * key. `roles`: more of POSTHORN_OIDC_ROLES, for the same key.
 */
export async function prepareOidc(scopes: readonly string[], roles: readonly string[] = []) {
  await using stack = new AsyncDisposableStack()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = stack.use(await startOidcProvider(url))
  const database = stack.use(await createTestDatabase())
  const { organizationId } = await createTenant(database.prisma)
  const { key } = await createApiKey(database.prisma, { organizationId, name: 'Support', scopes })
  const roleKeyId = publicId('apiKey', key.id)
  const started = stack.move()
  return {
    ...{ url, provider, database, organizationId, roleKeyId },
    environment: {
      ...testEnvironment(database.url),
      PORT: String(port),
      POSTHORN_LOG_LEVEL: 'info',
      POSTHORN_PUBLIC_URL: url,
      POSTHORN_OIDC_ISSUER: provider.issuer,
      POSTHORN_OIDC_CLIENT_ID: CLIENT.id,
      POSTHORN_OIDC_CLIENT_SECRET: CLIENT.secret,
      POSTHORN_OIDC_ROLES: ['groups=webhooks', ...roles]
        .map((role) => `${role}:${roleKeyId}`)
        .join(),
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
