import type { ClientOptions } from './client-options.ts'

/** The request of one call. Every try of the call sends the same bytes. */
export interface PublishRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const PUBLISH_DOCUMENT = `mutation PosthornPublish($events: [PublishEventInput!]!) {
  publishEvents(input: { events: $events }) {
    __typename
    ... on PublishEventsSuccess { publishedEvents { id deliveryCount duplicate } }
    ... on UserError { code message }
    ... on ValidationError { issues { path code message } }
  }
}`

export async function publishRequest(
  { url, token, organization, trustedDocuments = false }: ClientOptions,
  events: readonly object[],
): Promise<PublishRequest> {
  const document = trustedDocuments
    ? { extensions: { persistedQuery: { version: 1, sha256Hash: await sha256(PUBLISH_DOCUMENT) } } }
    : { query: PUBLISH_DOCUMENT }
  return {
    url,
    headers: {
      accept: 'application/graphql-response+json, application/json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(organization !== undefined && { 'posthorn-organization': organization }),
    },
    body: JSON.stringify({ ...document, variables: { events } }),
  }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
