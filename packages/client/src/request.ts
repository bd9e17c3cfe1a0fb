import type { ClientOptions } from './client-options.ts'

/** The request of one call. Every try of the call sends the same bytes. */
export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function postRequest(
  { url, token, organization }: ClientOptions,
  path: string,
  body: object,
): PostRequest {
  return {
    url: url.trim().replace(/\/+$/, '') + path,
    headers: {
      accept: 'application/graphql-response+json, application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(organization !== undefined && { 'posthorn-organization': bytesOf(organization) }),
    },
    body: JSON.stringify(body),
  }
}

/** A header has bytes: those of the UTF-8. */
const bytesOf = (text: string) => String.fromCharCode(...new TextEncoder().encode(text))

export async function graphqlBody(
  { trustedDocuments = false }: ClientOptions,
  query: string,
  variables: object,
): Promise<object> {
  if (!trustedDocuments) return { query, variables }
  const persistedQuery = { version: 1, sha256Hash: await sha256(query) }
  return { extensions: { persistedQuery }, variables }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
