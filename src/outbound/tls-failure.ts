import type { FailureCode } from './outcome.ts'

export interface TlsFailure {
  readonly code: FailureCode
  /** More exact than what the code alone says. */
  readonly sentence: string | null
  /** The alert of the receiver (RFC 8446, section 6), or else the code of Node's error. */
  readonly detail: string
}

/** Why a TLS handshake failed, by the code of Node's error. */
export function readTlsFailure(errorCode: string): TlsFailure {
  const alert = ALERT_CODE.exec(errorCode)?.[1]?.toLowerCase()
  if (alert === undefined) {
    const code = CODE_BY_ERROR_CODE[errorCode] ?? 'tls_failed'
    return { code, sentence: null, detail: errorCode }
  }
  const code = CODE_BY_ALERT[alert] ?? 'tls_failed'
  const sentence = code === 'tls_failed' ? (SENTENCE_BY_ALERT[alert] ?? ENDED) : null
  return { code, sentence, detail: `TLS alert ${alert}` }
}

/** Node makes the code of OpenSSL's words: `ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE`, `ERR_SSL_TLSV1_UNRECOGNIZED_NAME`. */
const ALERT_CODE = /^ERR_SSL_(?:SSL\/TLS|SSLV3|TLSV1|TLSV13)_(?:ALERT_)?([A-Z_]+)$/

/** What OpenSSL itself finds in the bytes of the receiver. */
const CODE_BY_ERROR_CODE: Readonly<Record<string, FailureCode>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls_version_refused',
}

/** Posthorn sends no certificate, so every alert about certificates demands one. */
const CODE_BY_ALERT: Readonly<Record<string, FailureCode>> = {
  no_certificate: 'client_certificate_demanded',
  bad_certificate: 'client_certificate_demanded',
  unsupported_certificate: 'client_certificate_demanded',
  certificate_revoked: 'client_certificate_demanded',
  certificate_expired: 'client_certificate_demanded',
  certificate_unknown: 'client_certificate_demanded',
  certificate_unobtainable: 'client_certificate_demanded',
  certificate_required: 'client_certificate_demanded',
  unknown_ca: 'client_certificate_demanded',
  protocol_version: 'tls_version_refused',
  inappropriate_fallback: 'tls_version_refused',
  unrecognized_name: 'tls_name_unknown',
  no_application_protocol: 'http_version_refused',
}

const ENDED = 'The receiver ended the TLS handshake.'

const UNREADABLE =
  'The receiver, or a device in front of it, could not read the messages of the TLS handshake.'

const SENTENCE_BY_ALERT: Readonly<Record<string, string>> = {
  handshake_failure:
    'The receiver shares no cipher suite with Posthorn, has no certificate for this host name, or requires a client certificate.',
  insufficient_security: 'The receiver requires stronger cipher suites.',
  access_denied: 'The receiver refuses this connection by its access rules.',
  internal_error:
    'The receiver failed during the TLS handshake, as some servers do that have no certificate for this host name.',
  missing_extension: 'The receiver requires a TLS extension that was not sent.',
  unexpected_message: UNREADABLE,
  bad_record_mac: UNREADABLE,
  decryption_failed: UNREADABLE,
  record_overflow: UNREADABLE,
  decompression_failure: UNREADABLE,
  illegal_parameter: UNREADABLE,
  decode_error: UNREADABLE,
  decrypt_error: UNREADABLE,
  unsupported_extension: UNREADABLE,
}
