import type { Config } from '../../config/config.ts'
import { type ReceiverCode, receivers } from './receivers.ts'

/** What the page says of the installation. */
export type Sender = Pick<
  Config,
  'brand' | 'headerPrefix' | 'retryScheduleMs' | 'attemptTimeoutMs' | 'egressAddresses'
>

/** A paragraph, in which backticks mark code; a list of them; a table; or receivers. */
export type Part =
  | string
  | { readonly list: readonly string[] }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly receivers: readonly ReceiverCode[] }

export interface Section {
  readonly id: string
  readonly title: string
  readonly parts: readonly Part[]
}

export function titleOf({ brand }: Pick<Sender, 'brand'>): string {
  return brand.name === null ? 'Consuming our webhooks' : `Webhooks of ${brand.name}`
}

/** How to receive, as this installation sends. The page and its Markdown show the same sections. */
export function sectionsOf(sender: Sender): Section[] {
  const { headerPrefix: prefix } = sender
  return [
    {
      id: 'request',
      title: 'What you receive',
      parts: [
        'Each event is one `POST` request over HTTPS to the URL of your webhook, for each webhook that subscribes to its type. The body is JSON in UTF-8 of at most 257 KiB: `id`, `type`, `timestamp` and `data`.',
        {
          head: ['Header', 'Meaning'],
          rows: [
            [
              `\`${prefix}id\``,
              'The id of the delivery: the same in every attempt. Process each id once.',
            ],
            [`\`${prefix}timestamp\``, 'The time of this attempt: Unix time in seconds.'],
            [
              `\`${prefix}signature\``,
              'The signatures, separated by spaces, each as `v1,` and base64.',
            ],
            [
              `\`${prefix}test\``,
              '`true` for a test: verify it and answer 2xx, but do not act on it.',
            ],
          ],
        },
        'Your webhook can have further headers, and names of its own for these: the person who set it up knows them.',
      ],
    },
    {
      id: 'verify',
      title: 'Verify a delivery',
      parts: [
        'Verify the signature over the raw bytes of the body before you parse them. Otherwise anybody who knows your URL could send you events.',
        {
          list: [
            'The key is the base64 after `whsec_` of your signing secret, decoded.',
            `Compute the HMAC-SHA256 of \`<${prefix}id>.<${prefix}timestamp>.<body>\` with this key, and compare its base64 with each \`v1\` signature in constant time. Ignore other versions.`,
            `Reject the request if a header is missing, if no signature matches, or if \`${prefix}timestamp\` is more than 300 seconds before or after now.`,
          ],
        },
        'Each of these programs is a whole receiver. It takes your secret from the variable `WEBHOOK_SECRET`, and listens on port 3000; put a server with a certificate in front.',
        { receivers: receivers(prefix) },
      ],
    },
    {
      id: 'secrets',
      title: 'Secrets and their rotation',
      parts: [
        'Each webhook has a signing secret of its own, `whsec_…`. Keep it where you keep passwords. After a rotation, new requests are signed with the new secret, and the old one stays valid for 24 hours. To rotate without a gap, let your receiver accept both, then rotate, and remove the old secret when deliveries verify with the new one.',
      ],
    },
    {
      id: 'answer',
      title: 'Answer and retries',
      parts: [
        `Answer with 2xx as soon as the event is stored, and process it afterwards: the answer may take ${durationOf(sender.attemptTimeoutMs)}, and the connection 5 s, unless your webhook has a limit of its own. Any other status is a failure, also a redirect, which is not followed, and 410 Gone. To end deliveries, disable or delete the webhook.`,
        ...retriesOf(sender),
      ],
    },
    {
      id: 'once',
      title: 'Each event once',
      parts: [
        `Deliveries arrive at least once, sometimes twice, and in any order. Store \`${prefix}id\` in a unique column, in the transaction that stores the event, and answer 2xx to an id that is there already. \`timestamp\` in the body says when the event occurred.`,
      ],
    },
    { id: 'network', title: 'Network', parts: networkOf(sender) },
  ]
}

function retriesOf({ retryScheduleMs }: Sender): Part[] {
  if (retryScheduleMs.length === 0) {
    return [
      'A delivery that fails is not tried again, unless your webhook has a retry schedule of its own.',
    ]
  }
  const delays = retryScheduleMs.map((_, i) => retryScheduleMs.slice(0, i + 1))
  return [
    `A delivery that fails is tried again up to ${retryScheduleMs.length} times, unless your webhook has a schedule of its own. Jitter adds up to 10 %. With the status 429 or 503, \`Retry-After\` delays all deliveries of the webhook, by up to a day.`,
    {
      head: ['Attempt', 'Delay before it', 'After the first'],
      rows: delays.map((before, i) => [
        String(i + 2),
        durationOf(before.at(-1) ?? 0),
        durationOf(before.reduce((sum, delay) => sum + delay, 0)),
      ]),
    },
    'A webhook that keeps failing is put on hold: its deliveries wait, use up no attempts, and go out when a test request succeeds.',
  ]
}

function networkOf({ egressAddresses }: Sender): Part[] {
  const certificate =
    'Your endpoint needs a public address, port 443 or one from 1024 up, TLS 1.2 or later, HTTP/1.1 and a certificate of a public authority, with its intermediate certificates.'
  if (egressAddresses.length === 0) {
    return [
      certificate,
      'The addresses that requests come from can change, so do not let a firewall decide by them: verify signatures.',
    ]
  }
  return [
    certificate,
    'Requests come from these addresses. Verify signatures all the same: others can send from there, too.',
    { list: egressAddresses.map((range) => `\`${range}\``) },
  ]
}

/** 5,400,000 -> `1 h 30 min` */
function durationOf(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ] as const
  let rest = ms
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.join(' ') || '0 s'
}

/** The same for programs, in `/event-types.json`. */
export function receivingJson(sender: Sender) {
  const { brand, headerPrefix, retryScheduleMs, attemptTimeoutMs, egressAddresses } = sender
  const seconds = (ms: number) => ms / 1_000
  return {
    sender: brand.name,
    headers: {
      id: `${headerPrefix}id`,
      timestamp: `${headerPrefix}timestamp`,
      signature: `${headerPrefix}signature`,
      test: `${headerPrefix}test`,
    },
    signature: { version: 'v1', algorithm: 'HMAC-SHA256', toleranceSeconds: 300 },
    timeoutSeconds: seconds(attemptTimeoutMs),
    retryScheduleSeconds: retryScheduleMs.map(seconds),
    egressAddresses,
  }
}
