import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { DomainError } from '../lib/errors.ts'
import { decodeUtf8, InvalidJson, parseJson } from '../lib/parse-json.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { type HttpRequest, headerOf, type InFlight, LARGE_BYTES } from './connection.ts'
import { HttpRejection } from './problem.ts'

/**
 * Reads the body of a request, with at most `maxBytes`. Throws `too_large`, `rate_limited` or `unavailable` if there is no
 * room for it, or, if the client closed the connection or was too slow, `malformed`.
 *
 * Node reads no more than `Content-Length`, so a body with a declared length is read in one call; a small one has come with
 * the headers. The limits of yoga and hono wrap each request in another one: with yoga's, single publishes fell from 2,070 to
 * 1,560 a second, with hono's to 1,790.
 */
export function readBody(
  request: HttpRequest,
  maxBytes: number,
  inFlight: InFlight | undefined,
): Uint8Array | Promise<Uint8Array> {
  const header = headerOf(request, 'content-length')
  const declared = header === null ? null : Number(header)
  if (declared === null) return readChunks(request, maxBytes, false, inFlight)
  if (declared > maxBytes) throw tooLarge(maxBytes)
  inFlight?.resize('body', declared)
  const hasCome = 'readableLength' in request && request.readableLength === declared
  return hasCome ? (request.read() ?? Buffer.alloc(0)) : readChunks(request, declared, true)
}

async function readChunks(
  request: HttpRequest,
  maxBytes: number,
  isDeclared: boolean,
  inFlight?: InFlight,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const add = (chunk: Uint8Array) => {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    inFlight?.resize('body', size)
    chunks.push(chunk)
  }
  try {
    // Its errors describe the request of this context.
    if ('readableLength' in request) await readIncoming(request, AsyncLocalStorage.bind(add))
    else if (isDeclared) add(new Uint8Array(await request.arrayBuffer()))
    else for await (const chunk of request.body ?? []) add(chunk)
  } catch (error) {
    throw error instanceof DomainError ? error : incomplete(error)
  }
  return Buffer.concat(chunks)
}

/** After an error of `add`, the rest is discarded, so that a client that still sends reads the answer. */
function readIncoming(incoming: IncomingMessage, add: (chunk: Uint8Array) => void) {
  return new Promise<void>((resolve, reject) => {
    const read = (chunk: Uint8Array) => {
      try {
        add(chunk)
      } catch (error) {
        incoming.off('data', read)
        reject(error)
      }
    }
    incoming.on('data', read)
    incoming.on('end', resolve)
    incoming.on('close', () => reject())
  })
}

function incomplete(cause: unknown): DomainError {
  return new DomainError('malformed', 'The body is incomplete.', { cause })
}

function tooLarge(maxBytes: number): DomainError {
  describeRequest({ limit: 'body' })
  return new DomainError(
    'too_large',
    `The body exceeds the limit of ${maxBytes.toLocaleString('en')} bytes.`,
  )
}

export const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads a JSON object from the body of a request, of at most `maxBytes`. Throws `unsupported_media_type`, `malformed`, or the
 * errors of `readBody`. The errors repeat no value of the body, which may have secrets.
 */
export async function readJsonObject(
  request: Request,
  inFlight: InFlight | undefined,
  maxBytes = MAX_BODY_BYTES,
): Promise<Record<string, unknown>> {
  return readObject(await readText(request, inFlight, maxBytes, [JSON_TYPE]), 'The body')
}

export const JSON_TYPE = 'application/json'

/** Reads the body of a request in UTF-8, whose media type is one of these. Throws what `readJsonObject` throws. */
export function readText(
  request: HttpRequest,
  inFlight: InFlight | undefined,
  maxBytes: number,
  types: readonly string[],
): string | Promise<string> {
  requireType(request, types)
  const body = readBody(request, maxBytes, inFlight)
  const isSmall = body instanceof Uint8Array && body.byteLength < LARGE_BYTES
  return isSmall ? decode(body) : decodeInTurn(body, inFlight)
}

/** Parsed, a large body takes many times its size. */
async function decodeInTurn(
  body: Uint8Array | Promise<Uint8Array>,
  inFlight: InFlight | undefined,
): Promise<string> {
  const bytes = await body
  await inFlight?.takeTurn(bytes.byteLength)
  return decode(bytes)
}

function decode(body: Uint8Array): string {
  const text = decodeUtf8(body)
  if (text === null) throw malformed('The body is not valid UTF-8.')
  return text
}

/** Reads a JSON object of a request. Throws `malformed`. */
export function readObject(text: string, what: string): Record<string, unknown> {
  const value = readValue(text, what)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(`${what} is JSON, but not an object. Send one JSON object.`)
  }
  return value as Record<string, unknown>
}

/** Reads a JSON value of a request. Throws `malformed`. */
export function readValue(text: string, what: string): unknown {
  if (text.trim() === '') throw malformed(`${what} is empty. Send a JSON object.`)
  try {
    return parseJson(text)
  } catch (error) {
    // The message of `JSON.parse` quotes the text.
    const problem = error instanceof InvalidJson ? error.message : 'is not valid JSON.'
    throw malformed(`${what} ${problem}`)
  }
}

function requireType(request: HttpRequest, types: readonly string[]): void {
  const given = headerOf(request, 'content-type') ?? ''
  if (!types.includes(given) && !isOneOf(types, given)) {
    throw new HttpRejection(
      'unsupported_media_type',
      `The body must be JSON in UTF-8. Send the header \`Content-Type: ${types.join('` or `')}\`.`,
      { headers: { accept: types.join(', ') } },
    )
  }
  const coding = headerOf(request, 'content-encoding')
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') {
    throw new HttpRejection(
      'unsupported_media_type',
      'The body must not be compressed. Send it without Content-Encoding.',
      { headers: { 'accept-encoding': 'identity' } },
    )
  }
}

function isOneOf(types: readonly string[], given: string): boolean {
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return types.includes(type) && /^(charset="?utf-?8"?)?$/.test(charset ?? '')
}

function malformed(message: string): DomainError {
  return new DomainError('malformed', message)
}
