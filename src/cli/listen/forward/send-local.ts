import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface LocalRequest {
  readonly url: URL
  /** As Posthorn sent them, in their order. */
  readonly headers: readonly Header[]
  readonly body: Buffer
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

export interface Header {
  readonly name: string
  readonly value: string
}

/** What the local server answered. The times are in milliseconds, from the start of connecting. */
export type LocalAnswer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: readonly Header[]
      /** The first 16 KiB. */
      readonly body: Buffer
      readonly bodyTruncated: boolean
      readonly firstByteMs: number
      readonly durationMs: number
    }
  | { readonly kind: 'failed'; readonly errorCode: string; readonly durationMs: number }
  | { readonly kind: 'timed out'; readonly durationMs: number }

/** As in Posthorn without another setting. */
const TIME_LIMIT_MS = 15_000

/** As much as Posthorn keeps, and as long as it reads. */
const MAX_BODY_BYTES = 16 * 1024
const READ_BODY_MS = 2_000
const MAX_HEADERS = 200

/** Sends a request to a server of the developer: on this machine, or where the developer says. */
export function sendLocal(given: LocalRequest): Promise<LocalAnswer> {
  const { url, headers, body, signal } = given
  const startedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve) => {
    // A list of headers is sent as it is: nothing is added but the headers of the connection.
    const request = send(url, {
      method: 'POST',
      agent: false,
      ...(signal && { signal }),
      headers: [
        ...['host', url.host],
        ...headers.flatMap(({ name, value }) => [name, value]),
        ...['content-length', String(body.length)],
      ],
    })
    const timer = setTimeout(() => {
      resolve({ kind: 'timed out', durationMs: elapsedMs() })
      request.destroy()
    }, TIME_LIMIT_MS)
    const settle = (answer: LocalAnswer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    request.on('error', (error: NodeJS.ErrnoException) =>
      settle({ kind: 'failed', errorCode: codeOf(error), durationMs: elapsedMs() }),
    )
    request.on('response', (response) => {
      const firstByteMs = elapsedMs()
      const { statusCode: status = 0 } = response
      void readBody(response).then(({ bytes, truncated }) => {
        request.destroy()
        if (status > 599) {
          settle({ kind: 'failed', errorCode: 'HPE_INVALID_STATUS', durationMs: elapsedMs() })
          return
        }
        settle({
          ...{ kind: 'answered', status, firstByteMs, durationMs: elapsedMs() },
          ...{ headers: headersOf(response), body: bytes, bodyTruncated: truncated },
        })
      })
    })
    request.end(body)
  })
}

/** A slow or broken body does not change the answer. */
async function readBody(response: IncomingMessage): Promise<{ bytes: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  let complete = false
  const timer = setTimeout(() => response.destroy(), READ_BODY_MS)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BODY_BYTES) break
    }
    complete = response.complete && size <= MAX_BODY_BYTES
  } catch {
    // What has arrived counts.
  }
  clearTimeout(timer)
  return { bytes: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES), truncated: !complete }
}

function headersOf({ rawHeaders }: IncomingMessage): Header[] {
  const headers: Header[] = []
  for (let i = 0; i < rawHeaders.length && headers.length < MAX_HEADERS; i += 2) {
    headers.push({ name: rawHeaders[i] ?? '', value: rawHeaders[i + 1] ?? '' })
  }
  return headers
}

function codeOf({ code = '' }: NodeJS.ErrnoException): string {
  return /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'UNKNOWN'
}
