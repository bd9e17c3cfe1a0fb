import { type Issue, PosthornError } from './posthorn-error.ts'

/** A complete HTTP response. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The data of a GraphQL response. Throws a `PosthornError` for an error, also for one that a mutation returns as data. */
export function readData(answer: Answer): object {
  const { data, errors } = readBody(answer)
  if (data && !errors?.[0] && !Object.values(data).some(isRejection)) return data
  throw errorOf(answer)
}

/** What an answer says, other than data. */
export function errorOf(answer: Answer): PosthornError {
  const { code, message, issues = [] } = failureOf(answer)
  return new PosthornError(code, message, {
    issues: issues.map((issue) => ({ ...issue, path: (issue.path ?? []).map(String) })),
    requestId: answer.headers.get('x-request-id') ?? undefined,
  })
}

function failureOf(answer: Answer): Failure {
  const { data, type = '', detail = '', errors = [] } = readBody(answer)
  const rejection = Object.values(data ?? {}).find(isRejection)
  if (rejection) return { ...rejection, code: codeOf(rejection.code) }
  const [, kind] = /^urn:posthorn:problem:(.+)/.exec(type) ?? []
  if (kind) return { code: codeOf(kind), message: detail, issues: errors.map(toIssue) }
  const error = errors[0]
  if (error) return { code: 'INTERNAL', ...error.extensions, message: error.message }
  const message = `${answer.url} answered HTTP ${answer.status}`
  if (answer.status === 429) return { code: 'RATE_LIMITED', message: `${message}.` }
  if (isTemporary(answer.status)) return { code: 'UNAVAILABLE', message: `${message}.` }
  const remedy = 'and not as Posthorn does. Is the URL of Posthorn right?'
  return { code: 'UNREACHABLE', message: `${message}, ${remedy}` }
}

/** Whether the same request may succeed a little later. Proxies answer so as well. */
export function isTemporary(status: number): boolean {
  return [429, 502, 503, 504].includes(status)
}

/** The code of a problem, or of an error that a mutation returns as data, as that of a thrown error. */
function codeOf(kind: string): string {
  const isInput = ['invalid', 'malformed', 'too-large'].includes(kind)
  return isInput ? 'BAD_USER_INPUT' : kind.replaceAll('-', '_').toUpperCase()
}

/** The path of a JSON Pointer as a URI fragment (RFC 6901, section 6). */
function toIssue({ pointer = '', code = '', detail = '' }: BodyError): Issue {
  const tokens = pointer.split('/').slice(1).map(decodeURIComponent)
  const path = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  return { path, code, message: detail }
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly issues?: readonly Issue[]
}

/** A `UserError`, of whose types each has a code and a message. */
function isRejection(value: unknown): value is Failure {
  const { code, message } = Object(value) as Partial<Failure>
  return typeof code === 'string' && typeof message === 'string'
}

/** Of GraphQL, or of an RFC 9457 problem. */
interface Body {
  readonly data?: object | null
  readonly type?: string
  readonly detail?: string
  readonly errors?: readonly BodyError[]
}

interface BodyError extends Failure {
  readonly extensions?: Partial<Failure>
  readonly pointer?: string
  readonly detail?: string
}

/** Empty if the body is not a JSON object. */
export function readBody({ text }: Answer): Body {
  try {
    return Object(JSON.parse(text)) as Body
  } catch {
    return {}
  }
}
