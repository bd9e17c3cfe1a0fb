import { Pool } from 'undici'

export interface Target {
  /** Of the API. */
  readonly url: string
  readonly token: string
}

/** A client of GraphQL on this many keep-alive connections. A request waits if all are in use. */
export function openGraphqlClient({ url, token }: Target, connections: number) {
  const pool = new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return {
    /** Resolves with the body of the response, with any status. Rejects if the connection breaks. */
    async post(body: string): Promise<string> {
      const request = { path: '/graphql', method: 'POST', headers, body } as const
      return await (await pool.request(request)).body.text()
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}
