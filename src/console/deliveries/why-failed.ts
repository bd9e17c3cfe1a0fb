import { language } from '../language/language.ts'
import { key, t } from '../language/t.ts'
import { HINTS, STATUSES, type WhyFailed } from './failure-hints.ts'
import { causeLabel } from './list/cause-labels.ts'

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
    sentence: inOtherWords(errorCode) ?? error ?? t('There was no response.'),
    hint: t(
      HINTS[errorCode ?? ''] ?? key('Call the URL from another machine, for example with curl.'),
    ),
  }
}

/** The server's sentence is English. In another language, the code of the error has to do. */
function inOtherWords(code: string | null | undefined): string | null {
  return language !== 'en' && code && code in HINTS ? `${causeLabel(code)}.` : null
}

function whyStatus(status: number): WhyFailed {
  const { sentence, hint } = STATUSES[status] ?? STATUSES[byClass(status)]
  return { sentence: t(sentence), hint: t(hint) }
}

function byClass(status: number): '3xx' | '4xx' | '5xx' | 'other' {
  if (status >= 300 && status < 400) return '3xx'
  if (status >= 400 && status < 500) return '4xx'
  return status >= 500 && status < 600 ? '5xx' : 'other'
}
