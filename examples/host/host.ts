import type { IncomingMessage, RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import { openSession } from './open-session.ts'

export interface HostOptions {
  /** The address of Posthorn, for this server and for browsers. */
  readonly url: string
  /** Has `keys:manage` and the scopes of the sessions. It never leaves this server. */
  readonly apiKey: string
  /** The user who sends a request. Null: nobody is signed in. */
  readonly signedIn: (request: IncomingMessage) => User | null
}

export interface User {
  /** Finds the sessions of this user. */
  readonly name: string
  /** For a key with the scope `admin`: the organization of the user, `org_…`. */
  readonly organization?: string
}

/** Your server. `POST /session` gives the signed-in user a session, or renews the one whose id the page sends. */
export function createHost({ url, apiKey, signedIn }: HostOptions): RequestListener {
  return async (request, response) => {
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    // A form of another site cannot send JSON, so it cannot use the cookie of your user.
    const isJson = request.headers['content-type'] === 'application/json'
    if (request.method !== 'POST' || request.url !== '/session' || !isJson) {
      return answer(404, { message: 'Send JSON to POST /session.' })
    }
    const user = signedIn(request)
    if (user === null) return answer(403, { message: 'Sign in first.' })
    try {
      const { id } = (await json(request)) as { id?: string }
      const session = await openSession({ url, apiKey }, user, id)
      if (session === null)
        return answer(403, { message: 'Your session was ended. Sign in again.' })
      answer(200, { url: `${url}/graphql`, ...session })
    } catch (error) {
      console.error(error)
      answer(502, { message: 'Webhooks are not available now.' })
    }
  }
}
