/** The error codes of attempts. A test compares them with those of the server, which has their meanings. */
export const ERROR_CODES = [
  'name_not_found',
  'name_lookup_failed',
  'connection_refused',
  'connection_reset',
  'connection_failed',
  'network_unreachable',
  'connect_timed_out',
  'response_timed_out',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_self_signed',
  'certificate_unknown_authority',
  'certificate_wrong_host',
  'certificate_invalid',
  'no_tls',
  'tls_version_refused',
  'tls_name_unknown',
  'tls_failed',
  'client_certificate_demanded',
  'http_version_refused',
  'closed_early',
  'invalid_http',
  'head_too_large',
  'proxy_failed',
  'sender_failed',
  'address_not_public',
  'not_https',
  'url_not_allowed',
  'body_too_large',
  'secret_unreadable',
  'worker_died',
]

/** The code of an attempt's error in words: `tls_version_refused` -> "TLS version refused". */
export function causeLabel(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .replace(/\b(https?|tls|url)\b/g, (name) => name.toUpperCase())
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
