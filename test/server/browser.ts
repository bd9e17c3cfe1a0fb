/** A minimal browser: it stores the session cookie and sends it with every request. */
export interface Browser {
  readonly cookie: string | null
  request(path: string, init?: RequestInit): Promise<Response>
  signIn(proof: Record<string, unknown>): Promise<Response>
  signOut(): Promise<Response>
  /** Sends a GraphQL request as a page of the console does. */
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  graphql(query: string, headers?: Record<string, string>): Promise<any>
}

export function openBrowser(url: string, cookie: string | null = null): Browser {
  const request: Browser['request'] = async (path, init = {}) => {
    const headers = { ...(cookie !== null && { cookie }), ...(init.headers as object) }
    const response = await fetch(url + path, { ...init, headers })
    const set = response.headers.get('set-cookie')
    if (set !== null) cookie = /Max-Age=0/.test(set) ? null : (set.split(';')[0] ?? null)
    return response
  }
  return {
    get cookie() {
      return cookie
    },
    request,
    signIn: (proof) =>
      request('/console/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(proof),
      }),
    signOut: () => request('/console/session', { method: 'DELETE' }),
    async graphql(query, headers = { 'posthorn-console': '1' }) {
      const response = await request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      })
      return await response.json()
    },
  }
}

export const VIEWER = '{ viewer { apiKey { id } } }'
