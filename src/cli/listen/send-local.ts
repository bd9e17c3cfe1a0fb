import { lookup } from 'node:dns'
import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'

export interface LocalRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Whether any certificate is accepted. */
  readonly insecure?: boolean | undefined
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

/** What the local server answered. */
export interface LocalAnswer {
  /** Null if it did not answer: `errorCode` says why. */
  readonly status: number | null
  readonly errorCode: string | null
  /** The first 16 KiB. */
  readonly body: string
  /** From the start of connecting to the end of the answer. */
  readonly durationMs: number
}

/** As in Posthorn without another setting, with the answer. */
const TIME_LIMIT_MS = 15_000

/** As much as Posthorn keeps. */
const MAX_BODY_BYTES = 16 * 1024

/** Sends a request to a server of the developer: on this machine, or where the developer says. */
export async function sendLocal(given: LocalRequest): Promise<LocalAnswer> {
  const { url, headers, insecure, signal } = given
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(TIME_LIMIT_MS)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const request = send(url, {
    method: 'POST',
    agent: false,
    ...(insecure && { rejectUnauthorized: false }),
    // RFC 6761, section 6.3: these names are this machine, also where its resolver does not know them.
    ...(/\.localhost$/i.test(url.hostname) && { lookup: lookupLocalhost }),
    signal: AbortSignal.any([timeout, ...(signal ? [signal] : [])]),
    headers: { ...headers, 'content-length': given.body.length },
  })
  // After the response, what arrived of it counts.
  request.on('error', () => {})
  request.end(given.body)
  let [status, errorCode]: [status: number | null, errorCode: string | null] = [null, null]
  let body = Buffer.alloc(0)
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    status = response.statusCode ?? null
    for await (const chunk of response as AsyncIterable<Buffer>) {
      body = Buffer.concat([body, chunk])
      if (body.length > MAX_BODY_BYTES) break
    }
  } catch (error) {
    const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException
    if (status === null) errorCode = timeout.aborted ? 'ETIMEDOUT' : code
  } finally {
    request.destroy()
  }
  const durationMs = Math.round(performance.now() - startedAt)
  return { status, errorCode, body: body.subarray(0, MAX_BODY_BYTES).toString(), durationMs }
}

const lookupLocalhost: LookupFunction = (_name, options, done) => lookup('localhost', options, done)
