import { HINTS, STATUSES, type WhyFailed } from './failure-hints.ts'

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

function whyStatus(status: number): WhyFailed {
  return STATUSES[status] ?? STATUSES[byClass(status)]
}

function byClass(status: number): '3xx' | '4xx' | '5xx' | 'other' {
  if (status >= 300 && status < 400) return '3xx'
  if (status >= 400 && status < 500) return '4xx'
  return status >= 500 && status < 600 ? '5xx' : 'other'
}
