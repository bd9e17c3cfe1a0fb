import type { FailureCode } from './failure-reasons.ts'

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
  const ended = alert === 'handshake_failure' ? HANDSHAKE_FAILED : ENDED
  const sentence = code === 'tls_failed' ? ended : null
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

/** The alert that most servers send for several faults. */
const HANDSHAKE_FAILED =
  'The receiver shares no cipher suite with Posthorn, has no certificate for this host name, or requires a client certificate.'
