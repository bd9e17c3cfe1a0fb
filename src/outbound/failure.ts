import { errors } from 'undici'
import { explainInvalidResponse, INVALID_RESPONSE } from './invalid-response.ts'
import type { AttemptTiming, FailureCode, TimedOut } from './outcome.ts'
import { readTlsFailure } from './tls-failure.ts'

/** Why there was no response: a stable code, and a sentence that partners can read. */
export function explainNoResponse(
  error: Error,
  isInvalidHttp: boolean,
): { code: FailureCode; reason: string } {
  if (error instanceof ConnectionFailure) return { code: error.code, reason: error.message }
  const code = isInvalidHttp ? 'invalid_http' : classify(error)
  if (code === 'invalid_http') return { code, reason: explainInvalidResponse(error) }
  if (code === 'tls_failed') return explainTlsFailure(codeOf(error))
  const needsDetail = code === 'connection_failed' || code === 'sender_failed'
  return { code, reason: withDetail(REASONS[code], needsDetail ? codeOf(error) : '') }
}

function explainTlsFailure(errorCode: string): { code: FailureCode; reason: string } {
  const { code, sentence, detail } = readTlsFailure(errorCode)
  return { code, reason: withDetail(sentence ?? REASONS[code], detail) }
}

function withDetail(sentence: string, detail: string): string {
  return detail === '' ? sentence : `${sentence.replace(/\.$/, '')} (${detail}).`
}

/** The outcome of a time limit, without its timing. */
export function explainTimeout(
  phase: TimedOut['phase'],
  afterMs: number,
): Omit<TimedOut, keyof AttemptTiming> {
  const time = afterMs < 1_000 ? `${afterMs} ms` : `${afterMs / 1_000} s`
  const reason =
    phase === 'connect'
      ? `No TLS connection could be made within ${time}.`
      : `The receiver did not answer within ${time} of the request.`
  return { kind: 'timed-out', phase, afterMs, reason }
}

/** A failure that Posthorn itself detects, with its final code. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'
  readonly code: FailureCode

  constructor(code: FailureCode, reason: string = REASONS[code]) {
    super(reason)
    this.code = code
  }
}

/** The connection, including its DNS lookup, was not ready in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

const REASONS: Record<FailureCode, string> = {
  name_not_found: 'The host name does not exist.',
  name_lookup_failed: 'The host name could not be looked up.',
  connection_refused: 'The connection was refused.',
  connection_reset: 'The connection was reset before a response.',
  connection_failed: 'The connection failed.',
  network_unreachable: 'There is no route to the host.',
  certificate_expired: "The receiver's certificate has expired.",
  certificate_not_yet_valid: "The receiver's certificate is not valid yet.",
  certificate_self_signed: "The receiver's certificate is self-signed.",
  certificate_unknown_authority:
    "The receiver's certificate was issued by an unknown authority, or an intermediate certificate is missing.",
  certificate_wrong_host: "The receiver's certificate is for another host name.",
  certificate_invalid: "The receiver's certificate could not be verified.",
  no_tls: 'The receiver does not speak TLS on this port.',
  tls_version_refused:
    'The receiver supports no version of TLS that Posthorn does; TLS 1.2 or later is required.',
  tls_name_unknown: 'The receiver has no site with this host name.',
  tls_failed: 'A TLS connection could not be made.',
  client_certificate_demanded: 'The receiver requires a client certificate, and Posthorn has none.',
  http_version_refused: 'The receiver does not support HTTP/1.1.',
  closed_early: 'The receiver closed the connection before it answered.',
  invalid_http: INVALID_RESPONSE,
  head_too_large: "The response's status line and headers were too large.",
  proxy_failed: 'The egress proxy opened no connection.',
  forwarding_disconnected:
    'No `posthorn listen --forward` is connected to receive the deliveries of this temporary webhook.',
  sender_failed: 'Posthorn could not open a connection on its own machine.',
}

export const FAILURE_CODES = Object.keys(REASONS) as readonly FailureCode[]

const BY_ERROR_CODE: Readonly<Record<string, FailureCode>> = {
  ENOTFOUND: 'name_not_found',
  ENODATA: 'name_not_found',
  EAI_NODATA: 'name_not_found',
  EAI_AGAIN: 'name_lookup_failed',
  EAI_FAIL: 'name_lookup_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'network_unreachable',
  ENETUNREACH: 'network_unreachable',
  EADDRNOTAVAIL: 'network_unreachable',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown_authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown_authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_host',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'certificate_invalid',
  // Node's code for verification errors without a name, such as a key that is too weak.
  UNSPECIFIED: 'certificate_invalid',
  EPROTO: 'tls_failed',
  UND_ERR_SOCKET: 'closed_early',
  UND_ERR_HEADERS_OVERFLOW: 'head_too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_http',
  // An assertion of undici fails for a status below 100.
  ERR_ASSERTION: 'invalid_http',
  // Posthorn's own machine has no more files or memory, or a rule of its own forbids the connection.
  EMFILE: 'sender_failed',
  ENFILE: 'sender_failed',
  ENOBUFS: 'sender_failed',
  ENOMEM: 'sender_failed',
  EACCES: 'sender_failed',
  EPERM: 'sender_failed',
}

export function codeOf(error: Error): string {
  return 'code' in error ? String(error.code ?? '') : ''
}

function classify(error: Error): FailureCode {
  if (error instanceof errors.HTTPParserError) return 'invalid_http'
  const code = codeOf(error)
  const known = BY_ERROR_CODE[code]
  if (known) return known
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls_failed'
  // Node's codes of certificate errors are OpenSSL's X509_V_ERR_* without the prefix.
  if (/CERT|CRL|CHAIN|SIGNATURE|_CA$|PURPOSE/.test(code)) return 'certificate_invalid'
  return 'connection_failed'
}
