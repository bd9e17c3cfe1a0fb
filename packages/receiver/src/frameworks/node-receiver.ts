import { isRawBody, joinChunks, toBytes } from '../raw-body.ts'
import { createReceiver, type DeliveryHandler, type ReceiverOptions } from './receive.ts'

/** What the receiver uses of the requests of node:http and of frameworks on it. */
export interface NodeRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Set by a body parser. */
  readonly body?: unknown
  /** Set by some platforms beside a parsed body, such as Google Cloud Functions, and by NestJS with `rawBody: true`. */
  readonly rawBody?: unknown
  readonly readableEnded: boolean
  on(event: string, listener: (value: Uint8Array) => void): unknown
}

/** What the receiver uses of the responses of node:http and of frameworks on it. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(text: string): unknown
}

/** Answers a request, or throws the error of the handler. */
export function nodeReceiver<Event, Request extends NodeRequest>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
  remedy: string,
): (request: Request, response: NodeResponse) => Promise<void> {
  const { receive, maxBodyBytes } = createReceiver(options, handler, remedy)
  return async (request, response) => {
    const body = await readBody(request, maxBodyBytes, remedy)
    const { status, text, type } = await receive(body, request.headers, request)
    response.statusCode = status
    if (text) response.setHeader('content-type', type)
    response.end(text)
  }
}

/** The raw body, or null if it is too large. */
async function readBody(
  request: NodeRequest,
  maxBytes: number,
  remedy: string,
): Promise<Uint8Array | null> {
  const raw = [request.rawBody, request.body].find(isRawBody)
  if (raw === undefined && !wasParsed(request)) return await readStream(request, maxBytes)
  const bytes = toBytes(raw ?? request.body, remedy)
  return bytes.length > maxBytes ? null : bytes
}

/** A parser that skipped the body leaves it unread, and in Express 4 an empty object. */
function wasParsed({ readableEnded, body }: NodeRequest): boolean {
  return readableEnded || (typeof body === 'object' && Object.keys(body ?? {}).length > 0)
}

async function readStream(request: NodeRequest, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers['content-length']) > maxBytes) return null
  return await new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (data) => {
      const chunk = toBytes(data)
      size += chunk.length
      // The rest is read and dropped, so that the client can read the answer.
      if (size > maxBytes) resolve(null)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(joinChunks(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(new Error('The connection closed before the body ended.')))
  })
}
