import { en } from '../strings/en.ts'
import { t } from '../strings/t.ts'

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
    sentence: error ?? t('deliveries:whyFailed.noResponse'),
    hint: hintFor(errorCode ?? ''),
  }
}

/** What to check, by error code. `why-failed.test.ts` checks that every code has a hint. */
export const HINTS = en.deliveries.whyFailed.hints

function hintFor(code: string): string {
  return code in HINTS
    ? t(`deliveries:whyFailed.hints.${code as keyof typeof HINTS}`)
    : t('deliveries:whyFailed.unknownHint')
}

type StatusKey = keyof typeof en.deliveries.whyFailed.statuses

function whyStatus(status: number): WhyFailed {
  const key = String(status) in en.deliveries.whyFailed.statuses ? String(status) : byClass(status)
  return {
    sentence: t(`deliveries:whyFailed.statuses.${key as StatusKey}.sentence`),
    hint: t(`deliveries:whyFailed.statuses.${key as StatusKey}.hint`),
  }
}

function byClass(status: number): StatusKey {
  if (status >= 300 && status < 400) return '3xx'
  if (status >= 400 && status < 500) return '4xx'
  return status >= 500 && status < 600 ? '5xx' : 'other'
}
