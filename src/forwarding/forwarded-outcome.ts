import { ConnectionFailure, explainNoResponse, explainTimeout } from '../outbound/failure.ts'
import type { AttemptTiming, Ended } from '../outbound/outcome.ts'

/** What the local server answered, or why it did not. The command measures the times, in milliseconds. */
export interface ForwardedAnswer {
  readonly durationMs: number
  readonly response: ForwardedResponse | null
  /** The code of the error, such as `ECONNREFUSED`. Null with a response. */
  readonly errorCode: string | null
}

interface ForwardedResponse {
  readonly status: number
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** The first 16 KiB, in base64. */
  readonly body: string
  readonly bodyTruncated: boolean
  readonly firstByteMs: number
}

/** The outcome of an attempt whose request has ended. */
export function outcomeOf(
  { fetched, answer }: { readonly fetched: boolean; readonly answer: ForwardedAnswer | null },
  { startedAt, timeLimitMs }: { readonly startedAt: number; readonly timeLimitMs: number },
): Ended {
  const elapsedMs = Math.round(performance.now() - startedAt)
  if (answer === null) {
    const timing = timingOf(elapsedMs, elapsedMs)
    if (fetched) return { ...explainTimeout('response', timeLimitMs), ...timing }
    const { code, message: reason } = new ConnectionFailure('forwarding_disconnected')
    return { kind: 'unreachable', code, reason, ...timing }
  }
  const timing = timingOf(elapsedMs, answer.durationMs)
  if (answer.response === null) {
    const code = answer.errorCode ?? ''
    // Node's parser of HTTP reports these.
    const isInvalidHttp = code.startsWith('HPE_')
    const error = Object.assign(new Error(), { code })
    return { kind: 'unreachable', ...explainNoResponse(error, isInvalidHttp), ...timing }
  }
  const { status, body, bodyTruncated, firstByteMs } = answer.response
  const headers = joinValues(answer.response.headers)
  return {
    kind: 'answered',
    status,
    headers,
    body: Buffer.from(body, 'base64'),
    bodyTruncated,
    firstByteMs: Math.min(firstByteMs, timing.durationMs),
    retryAfter: headers['retry-after'] ?? null,
    ...timing,
  }
}

/** The attempt lasts as long as the local server took. The way to it and back counts as waiting. */
function timingOf(elapsedMs: number, localMs: number): AttemptTiming {
  const durationMs = Math.min(localMs, elapsedMs)
  return { durationMs, waitedMs: elapsedMs - durationMs, resent: false, connection: null }
}

function joinValues(headers: ForwardedResponse['headers']): Record<string, string> {
  const joined = new Map<string, string>()
  for (const { name, value } of headers) {
    const lower = name.toLowerCase()
    const before = joined.get(lower)
    joined.set(lower, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}
