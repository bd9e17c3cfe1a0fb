import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
// In your own server: from '@posthorn/client'.
import { createClient } from '../../packages/client/src/index.ts'

const CREATE = `mutation { session: createFrontendSession(
  input: { scopes: ["webhooks:read", "deliveries:read"], ttlSeconds: 3600 }
) { ... on CreateFrontendSessionSuccess { token } ... on UserError { code message } } }`

/** Your server: `POST /session` gives the signed-in user a session of an hour. The key, with `admin`, stays here. */
export function createHost(
  url: string,
  key: string,
  organizationOf: (request: IncomingMessage) => string | null,
): RequestListener {
  return async (request, response) => {
    const organization = organizationOf(request)
    // A form of another site cannot send JSON, so it cannot use the cookie of your user.
    const isJson = request.headers['content-type'] === 'application/json'
    if (organization === null || !isJson) return response.writeHead(403).end()
    const posthorn = createClient({ url: `${url}/graphql`, token: key, organization })
    const { session } = await posthorn.request<{ session: { token: string } }>(CREATE)
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    response.writeHead(200, headers)
    response.end(JSON.stringify({ url: `${url}/graphql`, token: session.token }))
  }
}

if (import.meta.main) {
  // The key of a server that runs in this clone by `npm start`.
  const key = readFileSync(new URL('../../.posthorn/api-key', import.meta.url), 'utf8').trim()
  // Your sign-in: find the organization of the user by the cookie of your own session.
  const host = createHost('http://127.0.0.1:4000', key, () => process.argv[2] ?? null)
  createServer(host).listen(4001, '127.0.0.1')
}
