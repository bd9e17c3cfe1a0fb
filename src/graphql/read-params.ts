import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'

/** The body of a request, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * The one way in: a POST of `application/json`, or a GET for queries. What a browser sends without asking first, forms
 * and plain text, is refused, so no other site can make its visitors call.
 */
export function useReadParams(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method === 'POST') setRequestParser(readJson)
      else if (request.method === 'GET') setRequestParser(readSearchParams)
    },
  }
}

async function readJson(request: Request): Promise<GraphQLParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw refusal(415, 'The body of a POST must be JSON: send `Content-Type: application/json`.')
  }
  const params = parseJson(decode(await readBody(request)), 'The body')
  if (Array.isArray(params)) {
    throw refusal(400, 'One request holds one operation: batches are not supported.')
  }
  if (typeof params !== 'object' || params === null) {
    throw refusal(
      400,
      'The body must be a JSON object with `query` and, where needed, `variables`.',
    )
  }
  return params
}

/** Stops reading once the bound is met, whatever `Content-Length` promised. */
async function readBody(request: Request): Promise<Uint8Array> {
  const tooLarge = () =>
    refusal(413, `The body must have at most ${MAX_BODY_BYTES.toLocaleString('en')} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw refusal(400, 'The body is not UTF-8.')
  }
}

function readSearchParams(request: Request): GraphQLParams {
  const { searchParams } = new URL(request.url)
  const object = (name: string) => {
    const text = searchParams.get(name)
    return text ? (parseJson(text, `The parameter ${name}`) as Record<string, unknown>) : undefined
  }
  return {
    query: searchParams.get('query') ?? undefined,
    operationName: searchParams.get('operationName') ?? undefined,
    variables: object('variables'),
    extensions: object('extensions'),
  } as GraphQLParams
}

/** What JSON.parse says quotes the text, which may hold a secret. */
function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal(400, `${what} is not JSON.`)
  }
}

function refusal(status: number, message: string): Error {
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })
}
