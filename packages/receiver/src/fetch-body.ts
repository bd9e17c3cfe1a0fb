import { joinChunks } from './raw-body.ts'

/** What `verifyRequest` reads of a `Request`. */
export interface FetchRequest {
  readonly headers: { get(name: string): string | null }
  readonly bodyUsed: boolean
  readonly body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  } | null
}

/** The body of a request, or null if it is too large. */
export async function readRequest(
  request: FetchRequest,
  maxBytes: number,
  remedy = 'verify the request before other code reads its body, or let that code read request.clone()',
): Promise<Uint8Array | null> {
  if (request.bodyUsed) {
    throw new TypeError(
      `The body of the request was already read, and the signature covers its bytes: ${remedy}.`,
    )
  }
  if (Number(request.headers.get('content-length')) > maxBytes) return null
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done || !value) break
    size += value.length
    if (size > maxBytes) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
  return joinChunks(chunks)
}
