import { key, t } from '../../language/t.ts'

/** The code of an attempt's error in words: `response_timed_out` -> "Response timed out". */
export const causeLabel = (code: string): string => t(LABELS[code] ?? code.replaceAll('_', ' '))

const LABELS: Readonly<Record<string, string>> = {
  address_not_public: key('Address not public'),
  body_too_large: key('Body too large'),
  certificate_expired: key('Certificate expired'),
  certificate_invalid: key('Certificate invalid'),
  certificate_not_yet_valid: key('Certificate not yet valid'),
  certificate_self_signed: key('Certificate self signed'),
  certificate_unknown_authority: key('Certificate unknown authority'),
  certificate_wrong_host: key('Certificate wrong host'),
  client_certificate_demanded: key('Client certificate demanded'),
  closed_early: key('Closed early'),
  connect_timed_out: key('Connect timed out'),
  connection_failed: key('Connection failed'),
  connection_refused: key('Connection refused'),
  connection_reset: key('Connection reset'),
  head_too_large: key('Head too large'),
  http_version_refused: key('HTTP version refused'),
  invalid_http: key('Invalid HTTP'),
  name_lookup_failed: key('Name lookup failed'),
  name_not_found: key('Name not found'),
  network_unreachable: key('Network unreachable'),
  no_tls: key('No TLS'),
  not_https: key('Not HTTPS'),
  proxy_failed: key('Proxy failed'),
  response_timed_out: key('Response timed out'),
  secret_unreadable: key('Secret unreadable'),
  sender_failed: key('Sender failed'),
  tls_failed: key('TLS failed'),
  tls_name_unknown: key('TLS name unknown'),
  tls_version_refused: key('TLS version refused'),
  url_not_allowed: key('URL not allowed'),
  worker_died: key('Worker died'),
}
