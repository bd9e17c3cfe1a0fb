import type { ClientOptions } from './client.ts'

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

const OPTIONS: ReadonlySet<string> = new Set([
  'url',
  'token',
  'organization',
  'timeoutMs',
  'trustedDocuments',
] satisfies (keyof ClientOptions)[])

/** What fetch would refuse is refused here: its message would contain the key, and each try would fail. */
export function checkOptions(options: ClientOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name))
  if (unknown !== undefined) {
    throw new TypeError(
      `Unknown option ${JSON.stringify(unknown)}; the options are ${[...OPTIONS].join(', ')}.`,
    )
  }
  checkUrl(options.url)
  if (!isHeaderText(options.token)) {
    throw new TypeError(
      'token must be an API key, phk_…, without spaces or line breaks. Is the variable that contains it set?',
    )
  }
  if (options.organization !== undefined && !isHeaderText(options.organization)) {
    throw new TypeError('organization must be the id of an organization: org_….')
  }
}

function checkUrl(text: string): void {
  const example = 'such as https://webhooks.example.com/graphql'
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new TypeError(`url must be the address of /graphql, ${example}. It is no URL.`)
  }
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      `url must be https:// or http://, without a user or a password, ${example}.`,
    )
  }
  if (url.pathname === '/') {
    throw new TypeError(`url must be the address of /graphql: ${url.origin}/graphql?`)
  }
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}
