import { errors } from 'undici'
import { REASONS } from './failure-reasons.ts'

/** What is malformed in a response that undici does not accept. */
export function explainInvalidResponse(error: Error): string {
  // The parser's error has a documented code, but undici 8 leaves it undefined. Its message is shown, not interpreted.
  if (error instanceof errors.HTTPParserError && error.message !== '')
    return `${INVALID_RESPONSE} The parser reports: "${error.message}".`
  // While undici reads a response, its only errors of this kind are these two statuses.
  if (error instanceof errors.SocketError) return UNREQUESTED_STATUS
  // undici uses this error for any fault in the head after a `content-length`.
  if (error instanceof errors.ResponseContentLengthMismatchError) return FAULT_AFTER_LENGTH
  return INVALID_RESPONSE
}

const INVALID_RESPONSE = REASONS.invalid_http

const UNREQUESTED_STATUS =
  'The response began with 100 Continue or 101 Switching Protocols, which Posthorn did not request.'

const FAULT_AFTER_LENGTH =
  'The response was not valid HTTP/1.1: after content-length, its head has a second length, transfer-encoding, a folded line, or a line that is malformed or does not end with CR and LF.'
