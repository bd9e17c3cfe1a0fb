import { failure, type Issue, type Result } from './posthorn-error.ts'

/** The body of a GraphQL response, and of an event of a stream. */
export interface ResponseBody {
  readonly data?: unknown
  readonly errors?: readonly ResponseError[]
}

interface ResponseError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: string; readonly issues?: readonly Issue[] }
}

export async function readResponse<Data>(response: Response): Promise<Result<Data>> {
  const body: unknown = await response.json().catch(() => null)
  if (isResponseBody(body)) return readBody(body)
  // A proxy answered, or another server.
  return failure(
    'UNREACHABLE',
    `Posthorn did not answer: HTTP ${response.status} from ${response.url}.`,
  )
}

/** A field that the session may not read is null. Any other error fails the whole response. */
export function readBody<Data>({ data, errors = [] }: ResponseBody): Result<Data> {
  const severe = errors.filter((error) => !isMissingScope(error))
  const [first] = data == null ? [...severe, ...errors] : severe
  if (first === undefined && data != null) return { ok: true, value: data as Data }
  const { code = 'INTERNAL', issues = [] } = first?.extensions ?? {}
  return failure(code, first?.message ?? 'Posthorn answered without data.', issues)
}

/** Only below a root field: without the scope of a root field there is nothing to show. */
function isMissingScope({ path = [], extensions }: ResponseError): boolean {
  return extensions?.code === 'FORBIDDEN' && path.length > 1
}

function isResponseBody(body: unknown): body is ResponseBody {
  return typeof body === 'object' && body !== null && ('data' in body || 'errors' in body)
}
