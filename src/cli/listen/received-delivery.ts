import type { IncomingHttpHeaders } from 'node:http'
import type { LocalAnswer } from './forward/send-local.ts'
import type { VerificationResult } from './verifier.ts'

/** A received delivery, with the result of its verification and the status of the response. */
export interface ReceivedDelivery {
  readonly receivedAt: Date
  readonly verification: VerificationResult
  readonly id: string | null
  readonly timestamp: string | null
  readonly signature: string | null
  /** Whether the delivery is marked as a test. */
  readonly isTest: boolean
  /** How often a delivery with this `wh-id` has arrived, this one included. */
  readonly arrivals: number
  /** All headers except the standard HTTP and signature headers, so mostly the webhook's custom headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The status of the response, or `null` if there was none. */
  readonly answered: number | null
  /** With `--forward`: what the local server answered. */
  readonly local?: {
    readonly url: string
    readonly answer: LocalAnswer
  }
}

const HTTP_HEADERS = new Set([
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
    if (HTTP_HEADERS.has(name) || name.startsWith(headerPrefix)) continue
    custom[name] = String(value)
  }
  return custom
}
