import { FAILURE_CODES } from '../../outbound/failure-reasons.ts'
import type { Ended } from '../../outbound/outcome.ts'

/** Why there was no response: a stable code and a sentence for people. `null` if there was a response. */
export function describeOutcome(outcome: Ended): { code: string; reason: string } | null {
  switch (outcome.kind) {
    case 'answered':
      return null
    case 'timed-out':
      return {
        code: outcome.phase === 'connect' ? 'connect_timed_out' : 'response_timed_out',
        reason: outcome.reason,
      }
    case 'unreachable':
      return { code: outcome.code, reason: outcome.reason }
    case 'refused':
      return {
        code: outcome.reason.replaceAll('-', '_'),
        reason: REJECTION_REASONS[outcome.reason],
      }
  }
}

const REJECTION_REASONS = {
  'address-not-public': 'The address is not public, so Posthorn does not connect to it.',
  'not-https': 'The URL is not HTTPS.',
  'url-not-allowed': 'Posthorn may not send to this URL.',
} as const

/** All codes that `describeOutcome` returns. */
export const OUTCOME_CODES: readonly string[] = [
  'connect_timed_out',
  'response_timed_out',
  ...FAILURE_CODES,
  ...Object.keys(REJECTION_REASONS).map((reason) => reason.replaceAll('-', '_')),
]
