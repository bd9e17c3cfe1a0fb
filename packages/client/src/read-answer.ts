import { type Issue, PosthornError } from './posthorn-error.ts'

/** A complete HTTP response. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

type Data = Readonly<Record<string, unknown>>

/** The data of a GraphQL response. Throws a `PosthornError` for an error, also for one that a mutation returns as data. */
export function readData(answer: Answer): Data {
  const { data, errors } = readBody(answer)
  const rejection = Object.values(data ?? {}).find(isRejection)
  if (rejection) throw toError({ ...rejection, code: CODES[rejection.code] ?? rejection.code })
  if (data && !errors?.[0]) return data
  throw errorOf(answer)
}

/** What an answer says, other than data. */
export function errorOf(answer: Answer): PosthornError {
  const { errors: [error] = [], detail } = readBody(answer)
  if (error) return toError({ ...error.extensions, message: error.message })
  const { url, status } = answer
  if (isTemporary(status)) {
    const code = status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE'
    const words = typeof detail === 'string' ? ` ${detail}` : ''
    return new PosthornError(code, `${url} answered HTTP ${status}.${words}`)
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

/** The codes of errors that a mutation returns as data, as the codes of thrown errors. */
const CODES: Readonly<Record<string, string>> = {
  conflict: 'CONFLICT',
  invalid: 'BAD_USER_INPUT',
  not_found: 'NOT_FOUND',
}

interface Failure {
  readonly code?: string
  readonly message: string
  readonly issues?: readonly Issue[]
}

/** A `UserError`, of whose types each has a code and a message. */
function isRejection(value: unknown): value is Failure & { readonly code: string } {
  const { code, message } = Object(value) as Partial<Failure>
  return typeof code === 'string' && typeof message === 'string'
}

function toError({ code = 'INTERNAL', message, issues = [] }: Failure): PosthornError {
  return new PosthornError(code, message, {
    issues: issues.map((issue) => ({ ...issue, path: (issue.path ?? []).map(String) })),
  })
}

interface Body {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: Omit<Failure, 'message'>
  }[]
  /** Of an RFC 9457 problem: what happened. */
  readonly detail?: unknown
}

/** Empty if the body is not a JSON object. */
function readBody({ text }: Answer): Body {
  try {
    return Object(JSON.parse(text)) as Body
  } catch {
    return {}
  }
}
