/** What a failed attempt means, and what to check: in the words of the console, which a test compares. */
export interface Words {
  readonly means: string
  readonly check: string
}

/** By error code, for attempts without a response. */
export const CODES: Readonly<Record<string, Words>> = {
  connect_timed_out: {
    means: 'No TLS connection within 5 s.',
    check: 'A firewall may be dropping the packets, or the host is down or overloaded.',
  },
  response_timed_out: {
    means: 'No status and headers of a response in time.',
    check:
      'Respond with 2xx as soon as the request is stored, and process it afterwards. The webhook has a timeout setting.',
  },
  name_not_found: {
    means: 'The host name does not exist.',
    check: 'Check the URL of the webhook, and the DNS record of its host.',
  },
  name_lookup_failed: {
    means: 'The host name could not be looked up.',
    check:
      'The DNS servers did not respond. This is often temporary. If other webhooks fail too, tell the Posthorn operator.',
  },
  connection_refused: {
    means: 'The connection was refused.',
    check: 'Nothing listens on that port. The receiver may be stopped, or use another port.',
  },
  connection_reset: {
    means: 'The connection was reset before a response.',
    check: 'The receiver, or a proxy in front of it, closed the connection. Check its log.',
  },
  connection_failed: {
    means:
      'The connection failed for another reason. With an egress proxy: it answered CONNECT with 502, 503 or 504, because it could not reach the receiver.',
    check: 'Call the URL from another machine, for example with curl.',
  },
  network_unreachable: {
    means: 'No route to the host.',
    check:
      'Posthorn has no network route to the receiver. If other webhooks fail too, tell the Posthorn operator.',
  },
  certificate_expired: {
    means: 'The certificate has expired.',
    check: 'Renew the certificate. Retries succeed once it is installed.',
  },
  certificate_not_yet_valid: {
    means: 'The certificate is not valid yet.',
    check: 'The clock of the machine that issued the certificate may be ahead.',
  },
  certificate_self_signed: {
    means: 'The certificate is self-signed.',
    check:
      'Use a certificate of a public authority, such as Let’s Encrypt, or ask the Posthorn operator to trust yours.',
  },
  certificate_unknown_authority: {
    means: 'The issuer of the certificate is unknown, or an intermediate certificate is missing.',
    check:
      'Browsers fetch missing intermediate certificates; other clients do not. Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  },
  certificate_wrong_host: {
    means: 'The certificate is for another host name.',
    check: 'Compare the names in the certificate with the URL of the webhook.',
  },
  certificate_invalid: {
    means: 'The certificate could not be verified for another reason, such as a weak key.',
    check:
      'Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  },
  no_tls: {
    means: 'The receiver does not speak TLS on this port. It may speak plain HTTP.',
    check:
      'The receiver may speak plain HTTP on that port. Use the port of its HTTPS, usually 443.',
  },
  tls_version_refused: {
    means: 'The receiver supports neither TLS 1.2 nor 1.3.',
    check: 'Enable TLS 1.2 or 1.3 on the receiver or the proxy in front of it.',
  },
  tls_name_unknown: {
    means: 'The receiver has no site with this host name.',
    check:
      'Add the host name, and a certificate for it, to the web server or proxy that answers there, or correct the URL of the webhook.',
  },
  tls_failed: {
    means:
      'No TLS connection for another reason. `error` has the alert of the receiver, such as `handshake_failure` or `internal_error`, or the code of the error.',
    check:
      'Check the log of the receiver, or of the proxy in front of it. Run `openssl s_client -connect host:443 -servername host` to see the handshake.',
  },
  client_certificate_demanded: {
    means:
      'The receiver requires a client certificate, and Posthorn has none. With TLS 1.2, some servers report this as `handshake_failure`, which is `tls_failed`.',
    check:
      'Turn the request for client certificates off for the URL of the webhook, and verify the signature of the delivery instead.',
  },
  http_version_refused: {
    means: 'The receiver does not speak HTTP/1.1.',
    check: 'Enable HTTP/1.1 on the receiver or the proxy in front of it.',
  },
  closed_early: {
    means: 'The receiver closed the connection before it responded.',
    check: 'The receiver may have crashed or restarted. Check its log.',
  },
  invalid_http: {
    means: 'The response was not valid HTTP/1.1. `error` says what is malformed.',
    check:
      'Run `curl -i` to see the response. A script, or a proxy in front of the receiver, may write the malformed part. Browsers and curl accept some responses that Posthorn does not.',
  },
  head_too_large: {
    means: 'The headers of the response, or of interim responses, exceeded 16 KiB.',
    check: 'Respond with fewer or shorter headers.',
  },
  proxy_failed: {
    means:
      'The proxy in `POSTHORN_EGRESS_PROXY` cannot be reached, or opened no connection. `error` has the status of its answer, such as 403 or 407.',
    check:
      'The Posthorn operator must act: the proxy is down, does not accept its credentials, or does not allow the address of the receiver.',
  },
  forwarding_disconnected: {
    means:
      'No `posthorn listen --forward` was connected to receive the delivery of its temporary webhook.',
    check:
      'Start `posthorn listen --forward` again: each run has its own temporary webhook. A command that lost its connection gets the next attempt.',
  },
  sender_failed: {
    means:
      'Nothing was sent: the machine of Posthorn could not open a connection. `error` has the code, such as `EMFILE` (no free files) or `EPERM` (a firewall rule of that machine).',
    check:
      'The Posthorn operator must act: the machine has no free files or memory, or a rule on it forbids the connection.',
  },
  address_not_public: {
    means: 'The address is not public, so Posthorn did not connect.',
    check: 'The host name resolves to a private network. Use a host that the internet can reach.',
  },
  not_https: {
    means: 'The URL is not HTTPS.',
    check: 'Use a URL that begins with https://.',
  },
  url_not_allowed: {
    means: 'Posthorn may not send to this URL, for example because of port 80.',
    check: 'Change the URL of the webhook.',
  },
  secret_unreadable: {
    means:
      'Nothing was sent: the signing secret or the custom headers cannot be decrypted. Set the headers again and rotate the secret, or add the encryption key that encrypted them.',
    check:
      'Enter the headers again and rotate the secret, or ask the Posthorn operator to restore the encryption key.',
  },
  body_too_large: {
    means:
      'Nothing was sent: the selection or template of the webhook makes more than 256 KiB of the data of the event, or takes more than 200,000 steps over the data. Choose fewer fields of the items of long lists; new events then arrive, and this delivery keeps its body.',
    check:
      'Choose fewer fields of the items of long lists in the webhook’s selection or template. New events then arrive; this delivery keeps its body.',
  },
  worker_died: {
    means:
      'A worker ended three times during this attempt, the third time while it made no other attempt, so Posthorn gives up. The request may have been sent. Ask the operator, who finds the reason in the logs, and then redeliver.',
    check:
      'Ask the Posthorn operator, who finds the reason in the logs. Redeliver once it is removed.',
  },
}

/** By HTTP status. */
export const STATUSES: Readonly<Record<string, Words>> = {
  400: {
    means: 'The receiver considers the request malformed.',
    check: 'The response body may say why.',
  },
  401: {
    means: 'The receiver requires credentials, or did not accept them.',
    check:
      'If the receiver expects a token, add the token to the custom headers of the webhook. If the receiver verifies signatures, compare its secret with the webhook’s.',
  },
  403: {
    means: 'The receiver rejected the request.',
    check:
      'A firewall or bot protection may block the request. If the receiver verifies signatures, compare its secret with the webhook’s.',
  },
  404: {
    means: 'The receiver found nothing at this URL.',
    check: 'Check the path of the URL.',
  },
  405: {
    means: 'The receiver does not accept POST at this URL.',
    check: 'Deliveries are always POST requests.',
  },
  408: {
    means: 'The receiver timed out waiting for the request.',
    check: 'The receiver may be overloaded.',
  },
  409: {
    means: 'The receiver reports a conflict.',
    check: 'A receiver should respond with 2xx to a delivery that it has already stored.',
  },
  410: {
    means: 'The receiver reports that this URL is permanently gone.',
    check: 'Disable or delete the webhook if nobody needs it.',
  },
  413: {
    means: 'The body was too large for the receiver.',
    check: 'Accept bodies of at least 256 KiB.',
  },
  415: {
    means: 'The receiver does not accept this content type.',
    check: 'Deliveries have the content type application/json.',
  },
  422: {
    means: 'The receiver understood the request and rejected its content.',
    check: 'The response body may say why.',
  },
  429: {
    means: 'The receiver limits the rate of requests.',
    check:
      'Set a rate limit on the webhook. A Retry-After header in the response makes the whole webhook wait.',
  },
  500: {
    means: 'The endpoint returned 500 Internal Server Error.',
    check: 'Check the log of the receiver.',
  },
  502: {
    means: 'A proxy in front of the receiver got no valid response from it.',
    check: 'The receiver may be down or restarting.',
  },
  503: {
    means: 'The receiver is temporarily unavailable.',
    check: 'The receiver may be overloaded, or down for maintenance.',
  },
  504: {
    means: 'A proxy in front of the receiver timed out waiting for it.',
    check: 'Respond with 2xx as soon as the request is stored, and process it afterwards.',
  },
  '3xx': {
    means: 'The receiver redirects to another URL.',
    check:
      'Posthorn does not follow redirects. Set the webhook’s URL to the one in the location header.',
  },
  '4xx': {
    means: 'The receiver rejected the request.',
    check: 'The response body may say why.',
  },
  '5xx': {
    means: 'The receiver failed.',
    check: 'Check the log of the receiver.',
  },
  other: {
    means: 'The receiver did not respond with a success status.',
    check: 'Only 2xx confirms a delivery.',
  },
}

/** Null for a cause that has no words. */
export function wordsFor(cause: string): Words | null {
  if (!/^[1-9][0-9]{2}$/.test(cause)) return CODES[cause] ?? null
  return STATUSES[cause] ?? STATUSES[`${cause[0]}xx`] ?? STATUSES['other'] ?? null
}
