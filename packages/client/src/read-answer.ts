import type { PublishedEvent } from './event.ts'
import { type Issue, PosthornError } from './posthorn-error.ts'

/** A complete HTTP response. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

/** Returns the published events, or throws a `PosthornError`. */
export function readPublished(answer: Answer): PublishedEvent[] {
  const result = readBody(answer)?.data?.publishEvents
  if (result?.__typename === 'PublishEventsSuccess') return result.publishedEvents
  throw errorOf(answer)
}

/** What an answer says, other than that events were published. */
export function errorOf(answer: Answer): PosthornError {
  const body = readBody(answer)
  const result = body?.data?.publishEvents
  const error = body?.errors?.[0]
  const { code, message, issues = [] } = result ?? { ...error?.extensions, ...error }
  if (message !== undefined) {
    const ownCode = (code !== undefined && CODES[code]) || code || 'INTERNAL'
    return new PosthornError(ownCode, message, { issues: issues.map(withTextPath) })
  }
  const { url, status } = answer
  if (isTemporary(status)) {
    const code = status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE'
    return new PosthornError(code, `${url} answered HTTP ${status}.`)
  }
  return new PosthornError(
    'UNREACHABLE',
    `${url} answered HTTP ${status}, and not as Posthorn does. Is it the address of /graphql?`,
  )
}

/** Whether the same request may succeed a little later. Proxies answer so as well. */
export function isTemporary(status: number): boolean {
  return [429, 502, 503, 504].includes(status)
}

/** The codes of errors that the mutation returns as data, as the codes of thrown errors. */
const CODES: Readonly<Record<string, string>> = { conflict: 'CONFLICT', invalid: 'BAD_USER_INPUT' }

interface Failure {
  readonly code?: string
  readonly message?: string
  readonly issues?: readonly Issue[]
}

interface Body {
  readonly data?: {
    readonly publishEvents?:
      | (Failure & { readonly __typename: string; readonly publishedEvents: PublishedEvent[] })
      | null
  } | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: Failure
  }[]
}

/** Null if the body is not that of a GraphQL response. */
function readBody({ text }: Answer): Body | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' ? (body as Body | null) : null
  } catch {
    return null
  }
}

const withTextPath = (issue: Issue): Issue => ({ ...issue, path: issue.path.map(String) })
