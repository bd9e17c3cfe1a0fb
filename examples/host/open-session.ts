import type { HostOptions, User } from './host.ts'

/** What the page gets. A renewed session keeps its token, so the host does not store it. */
export interface OpenedSession {
  readonly id: string
  readonly token?: string
  readonly ttlSeconds: number
}

const SCOPES = ['webhooks:read', 'webhooks:write', 'deliveries:read']
const ttlSeconds = 3_600

type Posthorn = Pick<HostOptions, 'url' | 'apiKey'>

/** Renews the session `id`. Creates one if there is no `id` or that session has expired. Null: it was revoked. */
export async function openSession(
  posthorn: Posthorn,
  user: User,
  id?: string,
): Promise<OpenedSession | null> {
  if (id !== undefined) {
    const sessions = await call(posthorn, user, LIST, { name: user.name })
    const known = sessions.frontendSessions.nodes.find(
      (session: { id: string }) => session.id === id,
    )
    if (!known || known.revokedAt !== null) return null
    const { renewed } = await call(posthorn, user, RENEW, { id, input: { ttlSeconds } })
    if (renewed.frontendSession) return { id, ttlSeconds }
  }
  const input = { name: user.name, scopes: SCOPES, ttlSeconds }
  const { created } = await call(posthorn, user, CREATE, { input })
  if (!created.token) throw new Error(created.message)
  return { id: created.frontendSession.id, token: created.token, ttlSeconds }
}

const LIST = `query ($name: String!) {
  frontendSessions(first: 100, filter: { name: $name }) { nodes { id revokedAt } }
}`

const RENEW = `mutation ($id: ID!, $input: RenewFrontendSessionInput!) {
  renewed: renewFrontendSession(id: $id, input: $input) {
    ... on RenewFrontendSessionSuccess { frontendSession { id } }
    ... on UserError { message }
  }
}`

const CREATE = `mutation ($input: CreateFrontendSessionInput!) {
  created: createFrontendSession(input: $input) {
    ... on CreateFrontendSessionSuccess { token frontendSession { id } }
    ... on UserError { message }
  }
}`

async function call(
  { url, apiKey }: Posthorn,
  { organization }: User,
  query: string,
  variables: object,
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(organization !== undefined && { 'posthorn-organization': organization }),
    },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
