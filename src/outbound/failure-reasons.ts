import { MAX_STEPS } from '../lib/work-budget.ts'

/** What a failure means, and what to check. Partners read both. */
type Words = readonly [meaning: string, advice: string]

const SHOW_CERTIFICATES =
  'Run `openssl s_client -connect host:443` to see the certificates that the receiver sends.'

const ANSWER_FAST =
  'Respond with 2xx as soon as the request is stored, and process it afterwards. The webhook has a timeout setting.'

/** Failures without a response, by the error code of the attempt. docs/concepts/deliveries.md has the meanings, too. */
const BY_CODE = {
  name_not_found: [
    'The host name does not exist.',
    'Check the URL of the webhook, and the DNS record of its host.',
  ],
  name_lookup_failed: [
    'The host name could not be looked up.',
    'The DNS servers did not respond. This is often temporary. If other webhooks fail too, tell the Posthorn operator.',
  ],
  connection_refused: [
    'The connection was refused.',
    'Nothing listens on that port. The receiver may be stopped, or use another port.',
  ],
  connection_reset: [
    'The connection was reset before a response.',
    'The receiver, or a proxy in front of it, closed the connection. Check its log.',
  ],
  connection_failed: [
    'The connection failed.',
    'Call the URL from another machine, for example with curl.',
  ],
  network_unreachable: [
    'There is no route to the host.',
    'Posthorn has no network route to the receiver. If other webhooks fail too, tell the Posthorn operator.',
  ],
  connect_timed_out: [
    'No TLS connection could be made in time.',
    'A firewall may be dropping the packets, or the host is down or overloaded.',
  ],
  response_timed_out: ['The receiver did not answer the request in time.', ANSWER_FAST],
  certificate_expired: [
    "The receiver's certificate has expired.",
    'Renew the certificate. Retries succeed once it is installed.',
  ],
  certificate_not_yet_valid: [
    "The receiver's certificate is not valid yet.",
    'The clock of the machine that issued the certificate may be ahead.',
  ],
  certificate_self_signed: [
    "The receiver's certificate is self-signed.",
    "Use a certificate of a public authority, such as Let's Encrypt, or ask the Posthorn operator to trust yours.",
  ],
  certificate_unknown_authority: [
    "The receiver's certificate was issued by an unknown authority, or an intermediate certificate is missing.",
    `Browsers fetch missing intermediate certificates; other clients do not. ${SHOW_CERTIFICATES}`,
  ],
  certificate_wrong_host: [
    "The receiver's certificate is for another host name.",
    'Compare the names in the certificate with the URL of the webhook.',
  ],
  certificate_invalid: ["The receiver's certificate could not be verified.", SHOW_CERTIFICATES],
  no_tls: [
    'The receiver does not speak TLS on this port.',
    'The receiver may speak plain HTTP on that port. Use the port of its HTTPS, usually 443.',
  ],
  tls_version_refused: [
    'The receiver supports no version of TLS that Posthorn does; TLS 1.2 or later is required.',
    'Enable TLS 1.2 or 1.3 on the receiver or the proxy in front of it.',
  ],
  tls_name_unknown: [
    'The receiver has no site with this host name.',
    'Add the host name, and a certificate for it, to the web server or proxy that answers there, or correct the URL of the webhook.',
  ],
  tls_failed: [
    'A TLS connection could not be made.',
    'Check the log of the receiver, or of the proxy in front of it. Run `openssl s_client -connect host:443 -servername host` to see the handshake.',
  ],
  client_certificate_demanded: [
    'The receiver requires a client certificate, and Posthorn has none.',
    'Turn the request for client certificates off for the URL of the webhook, and verify the signature of the delivery instead.',
  ],
  http_version_refused: [
    'The receiver does not support HTTP/1.1.',
    'Enable HTTP/1.1 on the receiver or the proxy in front of it.',
  ],
  closed_early: [
    'The receiver closed the connection before it answered.',
    'The receiver may have crashed or restarted. Check its log.',
  ],
  invalid_http: [
    'The response was not valid HTTP/1.1.',
    'Run `curl -i` to see the response. A script, or a proxy in front of the receiver, may write the malformed part. Browsers and curl accept some responses that Posthorn does not.',
  ],
  head_too_large: [
    "The response's status line and headers were too large.",
    'Respond with fewer or shorter headers: at most 16 KiB.',
  ],
  proxy_failed: [
    'The egress proxy opened no connection.',
    'The Posthorn operator must act: the proxy is down, does not accept its credentials, or does not allow the address of the receiver.',
  ],
  sender_failed: [
    'Posthorn could not open a connection on its own machine.',
    'The Posthorn operator must act: the machine has no free files or memory, or a rule on it forbids the connection.',
  ],
  address_not_public: [
    'The address is not public, so Posthorn does not connect to it.',
    'The host name resolves to a private network. Use a host that the internet can reach.',
  ],
  not_https: ['The URL is not HTTPS.', 'Use a URL that begins with https://.'],
  url_not_allowed: ['Posthorn may not send to this URL.', 'Change the URL of the webhook.'],
  body_too_large: [
    `Nothing was sent: the selection or template makes more than 256 KiB of the data of this event, takes more than ${MAX_STEPS.toLocaleString('en')} steps over the data, or has a filter that cannot work with the data.`,
    "Choose fewer fields of the items of long lists in the webhook's selection or template, or shorten values. New events then arrive; this delivery keeps its body.",
  ],
  secret_unreadable: [
    "Nothing was sent: Posthorn cannot decrypt the webhook's signing secret or custom headers.",
    'Enter the headers again and rotate the secret, or ask the Posthorn operator to restore the encryption key.',
  ],
  worker_died: [
    'A worker ended four times during this attempt, so Posthorn gives up. The request may have been sent.',
    'Ask the Posthorn operator, who finds the reason in the logs. Redeliver once it is removed.',
  ],
} as const satisfies Record<string, Words>

export type FailureCode = keyof typeof BY_CODE

/** All error codes of attempts. */
export const ERROR_CODES = Object.keys(BY_CODE) as readonly FailureCode[]

/** Responses that are no success, by their status, or else by its first digit. */
const BY_STATUS: Readonly<Record<number, Words>> = {
  3: [
    'The receiver redirects to another URL.',
    "Posthorn does not follow redirects. Set the webhook's URL to the one in the location header.",
  ],
  4: ['The receiver rejected the request.', 'The response body may say why.'],
  5: ['The receiver failed.', 'Check the log of the receiver.'],
  401: [
    'The receiver requires credentials, or did not accept them.',
    "If the receiver expects a token, add the token to the custom headers of the webhook. If the receiver verifies signatures, compare its secret with the webhook's.",
  ],
  403: [
    'The receiver rejected the request.',
    "A firewall or bot protection may block the request. If the receiver verifies signatures, compare its secret with the webhook's.",
  ],
  404: ['The receiver found nothing at this URL.', 'Check the path of the URL.'],
  405: ['The receiver does not accept POST at this URL.', 'Deliveries are always POST requests.'],
  409: [
    'The receiver reports a conflict.',
    'A receiver should respond with 2xx to a delivery that it has already stored.',
  ],
  410: [
    'The receiver reports that this URL is permanently gone.',
    'Disable or delete the webhook if nobody needs it.',
  ],
  413: ['The body was too large for the receiver.', 'Accept bodies of at least 256 KiB.'],
  415: [
    'The receiver does not accept this content type.',
    'Deliveries have the content type application/json.',
  ],
  429: [
    'The receiver limits the rate of requests.',
    'Set a rate limit on the webhook. A Retry-After header in the response makes the whole webhook wait.',
  ],
  502: [
    'A proxy in front of the receiver got no valid response from it.',
    'The receiver may be down or restarting.',
  ],
  503: [
    'The receiver is temporarily unavailable.',
    'The receiver may be overloaded, or down for maintenance.',
  ],
  504: ['A proxy in front of the receiver timed out waiting for it.', ANSWER_FAST],
}

const OTHERS: Words = [
  'The receiver did not respond with a success status.',
  'Only 2xx confirms a delivery.',
]

interface Failure {
  readonly status: number | null
  /** A code of an earlier version may be unknown. */
  readonly errorCode: string | null
}

/** What a failed attempt means, and what to check. */
export function wordsOf({ status, errorCode }: Failure): Words {
  if (status !== null) return BY_STATUS[status] ?? BY_STATUS[Math.floor(status / 100)] ?? OTHERS
  return BY_CODE[errorCode as FailureCode] ?? BY_CODE.connection_failed
}

/** The meaning of an error code. */
export function reasonOf(code: FailureCode): string {
  return BY_CODE[code][0]
}
