/** A sentence for each failure without a response, that partners can read. */
export const REASONS = {
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
  invalid_http: 'The response was not valid HTTP/1.1.',
  head_too_large: "The response's status line and headers were too large.",
  proxy_failed: 'The egress proxy opened no connection.',
  sender_failed: 'Posthorn could not open a connection on its own machine.',
} as const

export type FailureCode = keyof typeof REASONS

export const FAILURE_CODES = Object.keys(REASONS) as readonly FailureCode[]
