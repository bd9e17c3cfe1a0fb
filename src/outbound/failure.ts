import { errors } from 'undici'
import { type FailureCode, reasonOf } from './failure-reasons.ts'

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
  return { code, reason: withDetail(reasonOf(code), needsDetail ? codeOf(error) : '') }
}

/** Node makes the code of OpenSSL's words: `ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE`, `ERR_SSL_TLSV1_UNRECOGNIZED_NAME`. */
const ALERT_CODE = /^ERR_SSL_(?:SSL\/TLS|SSLV3|TLSV1|TLSV13)_(?:ALERT_)?([A-Z_]+)$/

/** By the alert of the receiver (RFC 8446, section 6), or else by the code of Node's error. */
function explainTlsFailure(errorCode: string): { code: FailureCode; reason: string } {
  const alert = ALERT_CODE.exec(errorCode)?.[1]?.toLowerCase()
  if (alert === undefined) {
    const code = BY_TLS_ERROR[errorCode] ?? 'tls_failed'
    return { code, reason: withDetail(reasonOf(code), errorCode) }
  }
  const code = BY_ALERT.find(([alerts]) => alerts.test(alert))?.[1] ?? 'tls_failed'
  const ended = alert === 'handshake_failure' ? HANDSHAKE_FAILED : ENDED
  const sentence = code === 'tls_failed' ? ended : reasonOf(code)
  return { code, reason: withDetail(sentence, `TLS alert ${alert}`) }
}

/** What OpenSSL itself finds in the bytes of the receiver. */
const BY_TLS_ERROR: Readonly<Record<string, FailureCode>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version_refused',
}

/** Posthorn sends no certificate, so every alert about certificates demands one. */
const BY_ALERT: readonly (readonly [RegExp, FailureCode])[] = [
  [/certificate|unknown_ca/, 'client_certificate_demanded'],
  [/protocol_version|inappropriate_fallback/, 'tls_version_refused'],
  [/unrecognized_name/, 'tls_name_unknown'],
  [/no_application_protocol/, 'http_version_refused'],
]

const ENDED = 'The receiver ended the TLS handshake.'

/** The alert that most servers send for several faults. */
const HANDSHAKE_FAILED =
  'The receiver shares no cipher suite with Posthorn, has no certificate for this host name, or requires a client certificate.'

function withDetail(sentence: string, detail: string): string {
  return detail === '' ? sentence : `${sentence.replace(/\.$/, '')} (${detail}).`
}

/** A failure that Posthorn itself detects, with its final code. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'
  readonly code: FailureCode

  constructor(code: FailureCode, reason: string = reasonOf(code)) {
    super(reason)
    this.code = code
  }
}

/** The connection, including its DNS lookup, or the response took too long. */
export class TimeLimitReached extends ConnectionFailure {
  constructor(code: 'connect_timed_out' | 'response_timed_out', limitMs: number) {
    const time = limitMs < 1_000 ? `${limitMs} ms` : `${limitMs / 1_000} s`
    super(code, reasonOf(code).replace('in time', `within ${time}`))
  }
}

const BY_ERROR_CODE: Readonly<Record<string, FailureCode>> = {
  ENOTFOUND: 'name_not_found',
  ENODATA: 'name_not_found',
  EAI_NODATA: 'name_not_found',
  EAI_AGAIN: 'name_lookup_failed',
  EAI_FAIL: 'name_lookup_failed',
  ECONNREFUSED: 'connection_refused',
  ETIMEDOUT: 'connect_timed_out',
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

/** The parser's error has a documented code, but undici 8 leaves it undefined. Its message is shown, not interpreted. */
function explainInvalidResponse(error: Error): string {
  const reason = reasonOf('invalid_http')
  if (!(error instanceof errors.HTTPParserError) || error.message === '') return reason
  return `${reason} The parser reports: "${error.message}".`
}
