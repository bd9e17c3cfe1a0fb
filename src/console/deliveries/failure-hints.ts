/** What to check, by error code. `why-failed.test.ts` checks that every code has a hint. */
export const HINTS: Readonly<Record<string, string>> = {
  connect_timed_out: 'A firewall may be dropping the packets, or the host is down or overloaded.',
  response_timed_out:
    'Respond with 2xx as soon as the request is stored, and process it afterwards. The webhook has a timeout setting.',
  name_not_found: 'Check the URL of the webhook, and the DNS record of its host.',
  name_lookup_failed:
    'The DNS servers did not respond. This is often temporary. If other webhooks fail too, tell the Posthorn operator.',
  connection_refused:
    'Nothing listens on that port. The receiver may be stopped, or use another port.',
  connection_reset:
    'The receiver, or a proxy in front of it, closed the connection. Check its log.',
  connection_failed: 'Call the URL from another machine, for example with curl.',
  network_unreachable:
    'Posthorn has no network route to the receiver. If other webhooks fail too, tell the Posthorn operator.',
  certificate_expired: 'Renew the certificate. Retries succeed once it is installed.',
  certificate_not_yet_valid: 'The clock of the machine that issued the certificate may be ahead.',
  certificate_self_signed:
    'Use a certificate of a public authority, such as Let’s Encrypt, or ask the Posthorn operator to trust yours.',
  certificate_unknown_authority:
    'Browsers fetch missing intermediate certificates; other clients do not. Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  certificate_wrong_host: 'Compare the names in the certificate with the URL of the webhook.',
  certificate_invalid:
    'Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.',
  no_tls: 'The receiver may speak plain HTTP on that port. Use the port of its HTTPS, usually 443.',
  tls_version_refused: 'Enable TLS 1.2 or 1.3 on the receiver or the proxy in front of it.',
  tls_name_unknown:
    'Add the host name, and a certificate for it, to the web server or proxy that answers there, or correct the URL of the webhook.',
  tls_failed:
    'Check the log of the receiver, or of the proxy in front of it. Run `openssl s_client -connect host:443 -servername host` to see the handshake.',
  client_certificate_demanded:
    'Turn the request for client certificates off for the URL of the webhook, and verify the signature of the delivery instead.',
  http_version_refused: 'Enable HTTP/1.1 on the receiver or the proxy in front of it.',
  closed_early: 'The receiver may have crashed or restarted. Check its log.',
  invalid_http:
    'Run `curl -i` to see the response. A script, or a proxy in front of the receiver, may write the malformed part. Browsers and curl accept some responses that Posthorn does not.',
  head_too_large: 'Respond with fewer or shorter headers.',
  proxy_failed:
    'The Posthorn operator must act: the proxy is down, does not accept its credentials, or does not allow the address of the receiver.',
  sender_failed:
    'The Posthorn operator must act: the machine has no free files or memory, or a rule on it forbids the connection.',
  address_not_public:
    'The host name resolves to a private network. Use a host that the internet can reach.',
  not_https: 'Use a URL that begins with https://.',
  url_not_allowed: 'Change the URL of the webhook.',
  secret_unreadable:
    'Enter the headers again and rotate the secret, or ask the Posthorn operator to restore the encryption key.',
  body_too_large:
    'Choose fewer fields of the items of long lists in the webhook’s selection or template, or shorten values. New events then arrive; this delivery keeps its body.',
  worker_died:
    'Ask the Posthorn operator, who finds the reason in the logs. Redeliver once it is removed.',
}

/** What a status means, and what to check. */
export const STATUSES: Readonly<Record<number | '3xx' | '4xx' | '5xx' | 'other', WhyFailed>> = {
  400: {
    sentence: 'The receiver considers the request malformed.',
    hint: 'The response body may say why.',
  },
  401: {
    sentence: 'The receiver requires credentials, or did not accept them.',
    hint: 'If the receiver expects a token, add the token to the custom headers of the webhook. If the receiver verifies signatures, compare its secret with the webhook’s.',
  },
  403: {
    sentence: 'The receiver rejected the request.',
    hint: 'A firewall or bot protection may block the request. If the receiver verifies signatures, compare its secret with the webhook’s.',
  },
  404: {
    sentence: 'The receiver found nothing at this URL.',
    hint: 'Check the path of the URL.',
  },
  405: {
    sentence: 'The receiver does not accept POST at this URL.',
    hint: 'Deliveries are always POST requests.',
  },
  408: {
    sentence: 'The receiver timed out waiting for the request.',
    hint: 'The receiver may be overloaded.',
  },
  409: {
    sentence: 'The receiver reports a conflict.',
    hint: 'A receiver should respond with 2xx to a delivery that it has already stored.',
  },
  410: {
    sentence: 'The receiver reports that this URL is permanently gone.',
    hint: 'Disable or delete the webhook if nobody needs it.',
  },
  413: {
    sentence: 'The body was too large for the receiver.',
    hint: 'Accept bodies of at least 256 KiB.',
  },
  415: {
    sentence: 'The receiver does not accept this content type.',
    hint: 'Deliveries have the content type application/json.',
  },
  422: {
    sentence: 'The receiver understood the request and rejected its content.',
    hint: 'The response body may say why.',
  },
  429: {
    sentence: 'The receiver limits the rate of requests.',
    hint: 'Set a rate limit on the webhook. A Retry-After header in the response makes the whole webhook wait.',
  },
  500: {
    sentence: 'The endpoint returned 500 Internal Server Error.',
    hint: 'Check the log of the receiver.',
  },
  502: {
    sentence: 'A proxy in front of the receiver got no valid response from it.',
    hint: 'The receiver may be down or restarting.',
  },
  503: {
    sentence: 'The receiver is temporarily unavailable.',
    hint: 'The receiver may be overloaded, or down for maintenance.',
  },
  504: {
    sentence: 'A proxy in front of the receiver timed out waiting for it.',
    hint: 'Respond with 2xx as soon as the request is stored, and process it afterwards.',
  },
  '3xx': {
    sentence: 'The receiver redirects to another URL.',
    hint: 'Posthorn does not follow redirects. Set the webhook’s URL to the one in the location header.',
  },
  '4xx': {
    sentence: 'The receiver rejected the request.',
    hint: 'The response body may say why.',
  },
  '5xx': { sentence: 'The receiver failed.', hint: 'Check the log of the receiver.' },
  other: {
    sentence: 'The receiver did not respond with a success status.',
    hint: 'Only 2xx confirms a delivery.',
  },
}

/** Why an attempt failed, and what to check. */
export interface WhyFailed {
  readonly sentence: string
  readonly hint: string
}
