import type { IncomingHttpHeaders } from 'node:http'
import type { Verdict } from './verifier.ts'

/** One delivery as it came in, what verification found, and what it was answered. */
export interface ReceivedDelivery {
  readonly receivedAt: Date
  readonly verdict: Verdict
  readonly id: string | null
  readonly timestamp: string | null
  readonly signature: string | null
  /** How often this `wh-id` has arrived so far, this time included. */
  readonly arrivals: number
  /** What remains without HTTP's own headers and the signature's: the webhook's custom ones, mostly. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** `null` if the sender hung up before it was answered. */
  readonly answered: number | null
}

const HEADERS_OF_HTTP = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'sec-fetch-mode',
  'transfer-encoding',
  'user-agent',
])

export function customHeaders(headers: IncomingHttpHeaders, headerPrefix: string) {
  const custom: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (HEADERS_OF_HTTP.has(name) || name.startsWith(headerPrefix)) continue
    custom[name] = String(value)
  }
  return custom
}
