import { DomainError } from '../lib/errors.ts'
import { hasLoneSurrogate, rejectLoneSurrogates } from '../lib/lone-surrogates.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import type { InFlight } from './connection.ts'
import { HttpRejection } from './http-rejection.ts'
import { readBody } from './read-body.ts'

export const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads a JSON object from the body of a request. Throws `unsupported_media_type`, `malformed`, the errors of `readBody`
 * or, for lone surrogates, `invalid`. The errors repeat no value of the body, which may have secrets.
 */
export async function readJsonObject(
  request: Request,
  inFlight: InFlight | undefined,
): Promise<Record<string, unknown>> {
  requireJson(request.headers)
  const text = decodeUtf8(await readBody(request, MAX_BODY_BYTES, inFlight))
  if (text === null) throw malformed('The body is not valid UTF-8.')
  if (text.trim() === '') throw malformed('The body is empty. Send a JSON object.')
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body is JSON, but not an object. Send a JSON object.')
  }
  if (hasLoneSurrogate(text)) rejectLoneSurrogates(value)
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
