/** Why an attempt failed, and what to check. */
export interface WhyFailed {
  readonly sentence: string
  readonly hint: string
}

interface AttemptFacts {
  readonly succeeded: boolean
  readonly status?: number | null
  readonly errorCode?: string | null
  /** The server's sentence for an attempt without a response. */
  readonly error?: string | null
}

/** Null for an attempt that succeeded. */
export function whyFailed({ succeeded, status, errorCode, error }: AttemptFacts): WhyFailed | null {
  if (succeeded) return null
  if (status != null) return whyStatus(status)
  return {
    sentence: error ?? 'There was no response.',
    hint: HINTS[errorCode ?? ''] ?? 'Call the URL from another machine, for example with curl.',
  }
}

const CERTIFICATE_HINT =
  'Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.'

/** What to check, by error code. `why-failed.test.ts` checks that every code has a hint. */
export const HINTS: Readonly<Record<string, string>> = {
  connect_timed_out: 'A firewall may be dropping the packets, or the host is down or overloaded.',
  response_timed_out:
    'Respond with 2xx as soon as the request is stored, and process it afterwards. The webhook has a timeout setting.',
  name_not_found: 'Check the URL of the webhook, and the DNS record of its host.',
  name_lookup_failed: 'The DNS servers did not respond. This is often temporary.',
  connection_refused:
    'Nothing listens on that port. The receiver may be stopped, or use another port.',
  connection_reset:
    'The receiver, or a proxy in front of it, closed the connection. Check its log.',
  connection_failed: 'Call the URL from another machine, for example with curl.',
  network_unreachable: 'Posthorn has no network route to the receiver.',
  certificate_expired: 'Renew the certificate. Retries succeed once it is installed.',
  certificate_not_yet_valid: 'The clock of the machine that issued the certificate may be ahead.',
  certificate_self_signed:
    'Use a certificate of a public authority, such as Let’s Encrypt, or ask the Posthorn operator to trust yours.',
  certificate_unknown_authority: `Browsers fetch missing intermediate certificates; other clients do not. ${CERTIFICATE_HINT}`,
  certificate_wrong_host: 'Compare the names in the certificate with the URL of the webhook.',
  certificate_invalid: CERTIFICATE_HINT,
  tls_failed: 'The receiver may speak plain HTTP on that port, or only an old version of TLS.',
  client_certificate_demanded: 'Verify the signature of the delivery instead.',
  http_version_refused: 'Enable HTTP/1.1 on the receiver or the proxy in front of it.',
  closed_early: 'The receiver may have crashed or restarted. Check its log.',
  invalid_http: 'A program other than a web server may listen on that port.',
  head_too_large: 'Respond with fewer or shorter headers.',
  proxy_failed: 'The Posthorn operator can check the proxy.',
  connections_busy:
    'Endpoints of other webhooks in this organization do not respond. Fix them, or disable those webhooks.',
  address_not_public:
    'The host name resolves to a private network. Use a host that the internet can reach.',
  not_https: 'Use a URL that begins with https://.',
  url_not_allowed: 'Change the URL of the webhook.',
  secret_unreadable:
    'Enter the headers again and rotate the secret, or ask the Posthorn operator to restore the encryption key.',
}

function whyStatus(status: number): WhyFailed {
  const [sentence, hint] = BY_STATUS[status] ?? byClass(status)
  return { sentence, hint }
}

const BY_STATUS: Readonly<Record<number, readonly [sentence: string, hint: string]>> = {
  400: ['The receiver considers the request malformed.', 'The response body may say why.'],
  401: [
    'The receiver requires credentials, or did not accept them.',
    'If the receiver expects a token, add it to the custom headers of the webhook. If it verifies signatures, compare its secret with the webhook’s.',
  ],
  403: [
    'The receiver rejected the request.',
    'A firewall or bot protection may block it. If the receiver verifies signatures, compare its secret with the webhook’s.',
  ],
  404: ['The receiver has nothing at this URL.', 'Check the path of the URL.'],
  405: ['The receiver does not accept POST at this URL.', 'Deliveries are always POST requests.'],
  408: ['The receiver timed out waiting for the request.', 'The receiver may be overloaded.'],
  409: [
    'The receiver reports a conflict.',
    'A receiver should respond with 2xx to a delivery that it has already stored.',
  ],
  410: [
    'The receiver says that this URL is permanently gone.',
    'Disable or delete the webhook if nobody needs it.',
  ],
  413: ['The body was too large for the receiver.', 'Accept bodies of at least 256 KiB.'],
  415: [
    'The receiver does not accept this content type.',
    'Deliveries have the content type application/json.',
  ],
  422: [
    'The receiver understood the request and rejected its content.',
    'The response body may say why.',
  ],
  429: [
    'The receiver limits the rate of requests.',
    'Set a rate limit on the webhook. Posthorn honors a Retry-After header in the response.',
  ],
  500: ['The receiver failed on the request.', 'Check the log of the receiver.'],
  502: [
    'A proxy in front of the receiver got no valid response from it.',
    'The receiver may be down or restarting.',
  ],
  503: [
    'The receiver is temporarily unavailable.',
    'The receiver may be overloaded, or down for maintenance.',
  ],
  504: [
    'A proxy in front of the receiver timed out waiting for it.',
    'Respond with 2xx as soon as the request is stored, and process it afterwards.',
  ],
}

function byClass(status: number): readonly [sentence: string, hint: string] {
  if (status >= 300 && status < 400) {
    return [
      'The receiver redirects to another URL.',
      'Posthorn does not follow redirects. Set the webhook’s URL to the one in the location header.',
    ]
  }
  if (status >= 400 && status < 500) {
    return ['The receiver rejected the request.', 'The response body may say why.']
  }
  if (status >= 500 && status < 600)
    return ['The receiver failed.', 'Check the log of the receiver.']
  return ['The receiver did not respond with a success status.', 'Only 2xx confirms a delivery.']
}
