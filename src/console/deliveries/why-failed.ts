/** Why an attempt failed, and what to check. */
export interface WhyFailed {
  readonly sentence: string
  readonly hint: string
}

interface AttemptFacts {
  readonly succeeded: boolean
  readonly status?: number | null
  readonly errorCode?: string | null
  /** The server's description of the failure. */
  readonly error?: string | null
}

/** Null for an attempt that succeeded. */
export function whyFailed({ succeeded, status, errorCode, error }: AttemptFacts): WhyFailed | null {
  if (succeeded) return null
  if (status != null) return whyStatus(status)
  const [sentence, hint] = WITHOUT_RESPONSE[errorCode ?? ''] ?? [
    'There was no response.',
    'Try the address from another place, such as with curl.',
  ]
  return { sentence: error ?? sentence, hint }
}

const CERTIFICATE_HINT = 'A check such as `openssl s_client -connect host:443` shows what it sends.'

/** Texts by error code, for attempts without a response. `why-failed.test.ts` checks that every code has one. */
export const WITHOUT_RESPONSE: Readonly<Record<string, readonly [sentence: string, hint: string]>> =
  {
    connect_timed_out: [
      'No TLS connection could be made in time.',
      'A firewall may be dropping the packets, or the host is down or overloaded.',
    ],
    response_timed_out: [
      'The receiver did not answer in time.',
      'Answer with 2xx as soon as the request is stored, and do the work afterwards. The time allowed can be set for the webhook.',
    ],
    name_not_found: [
      'The host name does not exist.',
      'Look for a mistake in the address of the webhook, or for a DNS record that is missing.',
    ],
    name_lookup_failed: [
      'The host name could not be looked up.',
      'Its DNS servers did not answer. This often passes by itself.',
    ],
    connection_refused: [
      'The connection was refused.',
      'Nothing listens on that port: the receiver may be stopped, or listen on another one.',
    ],
    connection_reset: [
      'The connection was reset before an answer.',
      'The receiver, or a proxy in front of it, broke it off: its log may say why.',
    ],
    connection_failed: [
      'The connection failed.',
      'Try the address from another place, such as with curl.',
    ],
    network_unreachable: [
      'There is no route to the host.',
      'The network of the receiver cannot be reached from where Posthorn runs.',
    ],
    certificate_expired: [
      "The receiver's certificate has expired.",
      'Renew it. Retries go through as soon as the new one is in place.',
    ],
    certificate_not_yet_valid: [
      "The receiver's certificate is not valid yet.",
      'The clock of the machine that made it may be ahead.',
    ],
    certificate_self_signed: [
      "The receiver's certificate is self-signed.",
      'Use one of a public authority, such as Let’s Encrypt, or ask the operator of Posthorn to trust yours.',
    ],
    certificate_unknown_authority: [
      "The receiver's certificate was issued by an unknown authority, or an intermediate certificate is missing.",
      `Browsers fill in a missing intermediate certificate, others do not. ${CERTIFICATE_HINT}`,
    ],
    certificate_wrong_host: [
      "The receiver's certificate is for another host name.",
      'Compare the names in the certificate with the address of the webhook.',
    ],
    certificate_invalid: ["The receiver's certificate could not be verified.", CERTIFICATE_HINT],
    tls_failed: [
      'A TLS connection could not be made; TLS 1.2 or later is required.',
      'The receiver may speak plain HTTP on that port, or only an old version of TLS.',
    ],
    client_certificate_demanded: [
      'The receiver demands a client certificate, and Posthorn has none.',
      'Let the receiver verify the signature of the delivery instead.',
    ],
    http_version_refused: [
      'The receiver does not speak HTTP/1.1.',
      'Let it, or the proxy in front of it, accept HTTP/1.1 besides later versions.',
    ],
    closed_early: [
      'The receiver closed the connection before it answered.',
      'It may have crashed on the request, or been restarted: its log may say why.',
    ],
    invalid_http: [
      'The answer was not valid HTTP/1.1.',
      'Something else than a web server may listen on that port.',
    ],
    head_too_large: [
      "The answer's status line and headers were too large.",
      'Answer with fewer or shorter headers.',
    ],
    proxy_failed: [
      'The egress proxy did not make the connection.',
      'This is on the side of Posthorn: its operator can look at the proxy.',
    ],
    connections_busy: [
      'Nothing was sent: all connections that Posthorn makes for one organization at a time were in use.',
      'Other webhooks of this organization lead to receivers that do not answer. Disable those, or make them answer.',
    ],
    address_not_public: [
      'The address is not public, so Posthorn does not connect to it.',
      'The host name leads to an address in a private network. Give one that can be reached from the internet.',
    ],
    not_https: [
      'The address is not HTTPS.',
      'Give the webhook an address that begins with https://.',
    ],
    url_not_allowed: [
      'The address is not one that Posthorn may send to.',
      'Give the webhook another address.',
    ],
    secret_unreadable: [
      'Nothing was sent: the signing secret or the custom headers of the webhook cannot be decrypted.',
      'Enter the headers again and rotate the secret, or ask the operator for the key that they were encrypted with.',
    ],
  }

function whyStatus(status: number): WhyFailed {
  const [sentence, hint] = BY_STATUS[status] ?? byClass(status)
  return { sentence, hint }
}

const BY_STATUS: Readonly<Record<number, readonly [sentence: string, hint: string]>> = {
  400: [
    'The receiver found the request malformed.',
    'The body of its response may say what it misses.',
  ],
  401: [
    'The receiver wants credentials, or did not accept them.',
    'If it expects a token, put it into the custom headers of the webhook. If it verifies signatures, compare its secret with the one of the webhook.',
  ],
  403: [
    'The receiver refused the request.',
    'A firewall or bot protection may be in front of it. If it verifies signatures, compare its secret with the one of the webhook.',
  ],
  404: [
    'The receiver has nothing at this address.',
    'Look for a mistake in the path of the address.',
  ],
  405: [
    'The receiver does not accept POST at this address.',
    'Deliveries are always POST requests.',
  ],
  408: ['The receiver gave up waiting for the request.', 'It may be overloaded.'],
  409: [
    'The receiver says that this conflicts with what it has.',
    'If it has seen the delivery before, it should answer with 2xx.',
  ],
  410: [
    'The receiver says that this address is gone for good.',
    'Disable or delete the webhook if it is not needed any more.',
  ],
  413: ['The body was too large for the receiver.', 'Let it accept bodies of at least 256 KiB.'],
  415: [
    'The receiver does not take this kind of content.',
    'Deliveries have the content type application/json.',
  ],
  422: [
    'The receiver understood the request and refused what it says.',
    'The body of its response may say why.',
  ],
  429: [
    'The receiver is asked too much.',
    'A rate limit on the webhook keeps deliveries below what it can take. A Retry-After in its answer is honored.',
  ],
  500: ['The receiver broke on the request.', 'Its log should say why.'],
  502: [
    'A proxy in front of the receiver got no valid answer from it.',
    'It may be down or restarting.',
  ],
  503: [
    'The receiver is not available at the moment.',
    'It may be overloaded, or down for maintenance.',
  ],
  504: [
    'A proxy in front of the receiver waited for it in vain.',
    'Answer with 2xx as soon as the request is stored, and do the work afterwards.',
  ],
}

function byClass(status: number): readonly [sentence: string, hint: string] {
  if (status >= 300 && status < 400) {
    return [
      'The receiver redirects to another address.',
      'Redirects are not followed: give the webhook the address that the header location names.',
    ]
  }
  if (status >= 400 && status < 500) {
    return ['The receiver refused the request.', 'The body of its response may say why.']
  }
  if (status >= 500 && status < 600) return ['The receiver failed.', 'Its log should say why.']
  return [
    'The receiver answered with something that is no status of success.',
    'Only 2xx tells that a delivery has arrived.',
  ]
}
