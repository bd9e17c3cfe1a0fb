import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'

const CREATE = `mutation { session: createFrontendSession(
  input: { scopes: ["webhooks:read", "deliveries:read"], ttlSeconds: 3600 }
) { ... on CreateFrontendSessionSuccess { token } ... on UserError { message } } }`

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
    const type = { 'content-type': 'application/json' }
    const created = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...type, authorization: `Bearer ${key}`, 'posthorn-organization': organization },
      body: JSON.stringify({ query: CREATE }),
    })
    const { token } = (await created.json()).data.session
    response.writeHead(200, { ...type, 'cache-control': 'no-store' })
    response.end(JSON.stringify({ url: `${url}/graphql`, token }))
  }
}

if (import.meta.main) {
  // The key of a server that runs in this clone by `npm start`.
  const key = readFileSync(new URL('../../.posthorn/api-key', import.meta.url), 'utf8').trim()
  // Your sign-in: find the organization of the user by the cookie of your own session.
  const host = createHost('http://127.0.0.1:4000', key, () => process.argv[2] ?? null)
  createServer(host).listen(4001, '127.0.0.1')
}
