import type { OidcProvider } from '../oidc-provider/oidc-provider.ts'

export const START = '/console/session/oidc'

/** A browser that keeps the cookies of each origin and follows no redirect by itself. */
export interface OidcBrowser {
  /** The cookies for Posthorn. */
  readonly jar: Map<string, string>
  get(at: string, init?: RequestInit): Promise<Response>
  /** Starts a sign-in, and returns the URL of the provider. */
  start(): Promise<string>
  /** Chooses a person or a failure at the provider, and returns the URL of the callback. */
  choose(authorization: string, choice: string): Promise<string>
  /** Opens the URL of the callback, and returns the path that it leads to. */
  finish(callback: string): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  graphql(query: string, variables?: object): Promise<any>
}

export function openOidcBrowser(url: string, { issuer }: OidcProvider): OidcBrowser {
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
    jar: jarOf(new URL(url)),
    get,
    start: async () => locationOf(await get(url + START), url),
    async choose(authorization, choice) {
      let at = locationOf(await get(authorization), issuer)
      at = locationOf(await get(`${at}/${choice}`), issuer)
      return locationOf(await get(at), issuer)
    },
    async finish(callback) {
      const landed = new URL(locationOf(await get(callback), url))
      return landed.pathname + landed.search
    },
    async graphql(query, variables = {}) {
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
