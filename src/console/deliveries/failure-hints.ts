import { key } from '../language/t.ts'
/** What to check, by error code. `why-failed.test.ts` checks that every code has a hint. */
export const HINTS: Readonly<Record<string, string>> = {
  connect_timed_out: key(
    'A firewall may be dropping the packets, or the host is down or overloaded.',
  ),
  response_timed_out: key(
    'Respond with 2xx as soon as the request is stored, and process it afterwards. The webhook has a timeout setting.',
  ),
  name_not_found: key('Check the URL of the webhook, and the DNS record of its host.'),
  name_lookup_failed: key(
    'The DNS servers did not respond. This is often temporary. If other webhooks fail too, tell the Posthorn operator.',
  ),
  connection_refused: key(
    'Nothing listens on that port. The receiver may be stopped, or use another port.',
  ),
  connection_reset: key(
    'The receiver, or a proxy in front of it, closed the connection. Check its log.',
  ),
  connection_failed: key('Call the URL from another machine, for example with curl.'),
  network_unreachable: key(
    'Posthorn has no network route to the receiver. If other webhooks fail too, tell the Posthorn operator.',
  ),
  certificate_expired: key('Renew the certificate. Retries succeed once it is installed.'),
  certificate_not_yet_valid: key(
    'The clock of the machine that issued the certificate may be ahead.',
  ),
  certificate_self_signed: key(
    'Use a certificate of a public authority, such as Let’s Encrypt, or ask the Posthorn operator to trust yours.',
  ),
  certificate_unknown_authority: key(
    'Browsers fetch missing intermediate certificates; other clients do not. Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  ),
  certificate_wrong_host: key('Compare the names in the certificate with the URL of the webhook.'),
  certificate_invalid: key(
    'Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  ),
  no_tls: key(
    'The receiver may speak plain HTTP on that port. Use the port of its HTTPS, usually 443.',
  ),
  tls_version_refused: key('Enable TLS 1.2 or 1.3 on the receiver or the proxy in front of it.'),
  tls_name_unknown: key(
    'Add the host name, and a certificate for it, to the web server or proxy that answers there, or correct the URL of the webhook.',
  ),
  tls_failed: key(
    'Check the log of the receiver, or of the proxy in front of it. Run `openssl s_client -connect host:443 -servername host` to see the handshake.',
  ),
  client_certificate_demanded: key(
    'Turn the request for client certificates off for the URL of the webhook, and verify the signature of the delivery instead.',
  ),
  http_version_refused: key('Enable HTTP/1.1 on the receiver or the proxy in front of it.'),
  closed_early: key('The receiver may have crashed or restarted. Check its log.'),
  invalid_http: key(
    'Run `curl -i` to see the response. A script, or a proxy in front of the receiver, may write the malformed part. Browsers and curl accept some responses that Posthorn does not.',
  ),
  head_too_large: key('Respond with fewer or shorter headers.'),
  proxy_failed: key(
    'The Posthorn operator must act: the proxy is down, does not accept its credentials, or does not allow the address of the receiver.',
  ),
  sender_failed: key(
    'The Posthorn operator must act: the machine has no free files or memory, or a rule on it forbids the connection.',
  ),
  address_not_public: key(
    'The host name resolves to a private network. Use a host that the internet can reach.',
  ),
  not_https: key('Use a URL that begins with https://.'),
  url_not_allowed: key('Change the URL of the webhook.'),
  secret_unreadable: key(
    'Enter the headers again and rotate the secret, or ask the Posthorn operator to restore the encryption key.',
  ),
  body_too_large: key(
    'Choose fewer fields of the items of long lists in the webhook’s selection or template. New events then arrive; this delivery keeps its body.',
  ),
  worker_died: key(
    'Ask the Posthorn operator, who finds the reason in the logs. Redeliver once it is removed.',
  ),
}

/** What a status means, and what to check. */
export const STATUSES: Readonly<Record<number | '3xx' | '4xx' | '5xx' | 'other', WhyFailed>> = {
  400: {
    sentence: key('The receiver considers the request malformed.'),
    hint: key('The response body may say why.'),
  },
  401: {
    sentence: key('The receiver requires credentials, or did not accept them.'),
    hint: key(
      'If the receiver expects a token, add the token to the custom headers of the webhook. If the receiver verifies signatures, compare its secret with the webhook’s.',
    ),
  },
  403: {
    sentence: key('The receiver rejected the request.'),
    hint: key(
      'A firewall or bot protection may block the request. If the receiver verifies signatures, compare its secret with the webhook’s.',
    ),
  },
  404: {
    sentence: key('The receiver found nothing at this URL.'),
    hint: key('Check the path of the URL.'),
  },
  405: {
    sentence: key('The receiver does not accept POST at this URL.'),
    hint: key('Deliveries are always POST requests.'),
  },
  408: {
    sentence: key('The receiver timed out waiting for the request.'),
    hint: key('The receiver may be overloaded.'),
  },
  409: {
    sentence: key('The receiver reports a conflict.'),
    hint: key('A receiver should respond with 2xx to a delivery that it has already stored.'),
  },
  410: {
    sentence: key('The receiver reports that this URL is permanently gone.'),
    hint: key('Disable or delete the webhook if nobody needs it.'),
  },
  413: {
    sentence: key('The body was too large for the receiver.'),
    hint: key('Accept bodies of at least 256 KiB.'),
  },
  415: {
    sentence: key('The receiver does not accept this content type.'),
    hint: key('Deliveries have the content type application/json.'),
  },
  422: {
    sentence: key('The receiver understood the request and rejected its content.'),
    hint: key('The response body may say why.'),
  },
  429: {
    sentence: key('The receiver limits the rate of requests.'),
    hint: key(
      'Set a rate limit on the webhook. A Retry-After header in the response makes the whole webhook wait.',
    ),
  },
  500: {
    sentence: key('The endpoint returned 500 Internal Server Error.'),
    hint: key('Check the log of the receiver.'),
  },
  502: {
    sentence: key('A proxy in front of the receiver got no valid response from it.'),
    hint: key('The receiver may be down or restarting.'),
  },
  503: {
    sentence: key('The receiver is temporarily unavailable.'),
    hint: key('The receiver may be overloaded, or down for maintenance.'),
  },
  504: {
    sentence: key('A proxy in front of the receiver timed out waiting for it.'),
    hint: key('Respond with 2xx as soon as the request is stored, and process it afterwards.'),
  },
  '3xx': {
    sentence: key('The receiver redirects to another URL.'),
    hint: key(
      'Posthorn does not follow redirects. Set the webhook’s URL to the one in the location header.',
    ),
  },
  '4xx': {
    sentence: key('The receiver rejected the request.'),
    hint: key('The response body may say why.'),
  },
  '5xx': { sentence: key('The receiver failed.'), hint: key('Check the log of the receiver.') },
  other: {
    sentence: key('The receiver did not respond with a success status.'),
    hint: key('Only 2xx confirms a delivery.'),
  },
}

/** Why an attempt failed, and what to check. */
export interface WhyFailed {
  readonly sentence: string
  readonly hint: string
}
