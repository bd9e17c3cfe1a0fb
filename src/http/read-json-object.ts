import { DomainError } from '../lib/errors.ts'
import { HttpRejection } from './http-rejection.ts'

export const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads a JSON object from the body of a request. Throws `unsupported_media_type`, `too_large` or `malformed`; the
 * errors repeat nothing of the body, which may have secrets.
 */
export async function readJsonObject(request: Request): Promise<Record<string, unknown>> {
  requireJson(request.headers)
  const text = decodeUtf8(await readBytes(request))
  if (text.trim() === '') throw malformed('The body is empty. Send a JSON object.')
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body is JSON, but not an object. Send a JSON object.')
  }
  return value as Record<string, unknown>
}

function requireJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (type !== 'application/json' || !/^(charset="?utf-?8"?)?$/.test(charset ?? '')) {
    throw new HttpRejection(
      'unsupported_media_type',
      'The body must be JSON in UTF-8. Send the header `Content-Type: application/json`.',
      { headers: { accept: 'application/json' } },
    )
  }
  const coding = headers.get('content-encoding') ?? 'identity'
  if (coding.trim().toLowerCase() !== 'identity') {
    throw new HttpRejection(
      'unsupported_media_type',
      'The body must not be compressed. Send it without Content-Encoding.',
      { headers: { 'accept-encoding': 'identity' } },
    )
  }
}

/** Stops reading at the limit even if `Content-Length` is missing or wrong. */
async function readBytes(request: Request): Promise<Buffer> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw tooLarge()
  const reader = request.body?.getReader()
  if (!reader) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new DomainError('malformed', 'The body is incomplete.', { cause })
    })
    if (done) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {})
      throw tooLarge()
    }
    chunks.push(value)
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed('The body is not valid UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The body is not valid JSON.')
  }
}

function malformed(message: string): DomainError {
  return new DomainError('malformed', message)
}

function tooLarge(): DomainError {
  return new DomainError(
    'too_large',
    `The body exceeds the limit of ${MAX_BODY_BYTES.toLocaleString('en')} bytes.`,
  )
}
