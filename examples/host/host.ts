import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import pg from 'pg'

export interface HostOptions {
  /** The URL of Posthorn. */
  readonly url: string
  /** An API key with the scope `admin`, which stays here. */
  readonly key: string
  /** The tables of the application, in the Postgres of Posthorn. */
  readonly database: pg.Pool
  /** Your sign-in: the organization of the user, by the cookie of your own session. Null: not signed in. */
  readonly organizationOf: (request: IncomingMessage) => string | null
}

/** The server of an application whose customers have webhooks. */
export function createHost({ url, key, database, organizationOf }: HostOptions): RequestListener {
  async function answer(request: IncomingMessage): Promise<Response> {
    const route = `${request.method} ${request.url}`
    if (route === 'GET /webhooks') return await page(url)
    if (request.method !== 'POST') return new Response(null, { status: 404 })
    const organization = organizationOf(request)
    // A form of another site cannot send JSON, so it cannot use the cookie of your user.
    const isJson = request.headers['content-type'] === 'application/json'
    if (organization === null || !isJson) return new Response(null, { status: 403 })
    const session = (mutation: string) => createSession(url, key, organization, mutation)
    switch (route) {
      case 'POST /attendees': {
        const input = (await json(request).catch(() => null)) as { name?: unknown } | null
        if (typeof input?.name !== 'string') return new Response('Send a name.', { status: 400 })
        return Response.json({ id: await addAttendee(database, organization, input.name) })
      }
      case 'POST /webhooks/portal-session':
        return Response.json(await session(PORTAL_SESSION))
      case 'POST /session':
        return Response.json({ ...(await session(FRONTEND_SESSION)), url: `${url}/graphql` })
      default:
        return new Response(null, { status: 404 })
    }
  }
  return async (request, response) => {
    const answered = await answer(request).catch((error) => {
      console.error(error)
      return new Response(null, { status: 500 })
    })
    const headers = { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' }
    response.writeHead(answered.status, headers).end(await answered.text())
  }
}

/** Stores an attendee and publishes the event in one transaction: both commit, or neither. */
async function addAttendee(database: pg.Pool, organization: string, name: string): Promise<number> {
  const client = await database.connect()
  try {
    await client.query('begin')
    const insert = 'insert into attendees (name) values ($1) returning id'
    const { id } = (await client.query(insert, [name])).rows[0]
    await client.query('select posthorn.publish_event($1, $2, $3, idempotency_key => $4)', [
      ...[organization, 'event_attendee.joined_event', { attendee: id, name }, `attendee-${id}`],
    ])
    await client.query('commit')
    return id
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const PORTAL_SESSION = `mutation { createPortalSession(input: {
  scopes: ["webhooks:read", "webhooks:write", "deliveries:read", "deliveries:write"]
}) { ... on CreatePortalSessionSuccess { session: portalSession { url } } ... on UserError { message } } }`

const FRONTEND_SESSION = `mutation { createFrontendSession(
  input: { scopes: ["webhooks:read", "deliveries:read"], ttlSeconds: 3600 }
) { ... on CreateFrontendSessionSuccess { token } ... on UserError { message } } }`

/** What a mutation returns that creates a session of the organization. */
async function createSession(url: string, key: string, organization: string, mutation: string) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'posthorn-organization': organization,
    },
    body: JSON.stringify({ query: mutation }),
  })
  const { data, errors } = await response.json()
  const [created] = Object.values(data ?? {}) as { message?: string; session?: object }[]
  if (!created || created.message) throw new Error(created?.message ?? JSON.stringify(errors))
  return created.session ?? created
}

/** The page that shows the portal. */
async function page(url: string): Promise<Response> {
  const text = await readFile(new URL('webhooks.html', import.meta.url), 'utf8')
  return new Response(text.replace('POSTHORN_URL', url), {
    headers: { 'content-type': 'text/html' },
  })
}

if (import.meta.main) {
  const { DATABASE_URL, POSTHORN_API_KEY, POSTHORN_URL = 'http://127.0.0.1:4000' } = process.env
  const organization = process.argv[2]
  if (!DATABASE_URL || !POSTHORN_API_KEY || !organization) {
    console.error(
      'Set DATABASE_URL and POSTHORN_API_KEY, and name an organization: node host.ts org_…',
    )
    process.exit(1)
  }
  const database = new pg.Pool({ connectionString: DATABASE_URL })
  database.on('error', console.error)
  await database.query('create table if not exists attendees (id serial primary key, name text)')
  const options = { url: POSTHORN_URL, key: POSTHORN_API_KEY, database }
  const host = createHost({ ...options, organizationOf: () => organization })
  createServer(host).listen(4001, 'localhost', () =>
    console.log('Open http://localhost:4001/webhooks'),
  )
}
