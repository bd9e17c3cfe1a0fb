import { type Words, wordsFor } from './failure-words.ts'
import type { McpWebhookFailureQuery } from './generated/graphql.ts'
import { BEHIND, DISABLED, HEALTHY, HOLDS, NO_DELIVERIES, PARKED } from './state-words.ts'

type Webhook = NonNullable<McpWebhookFailureQuery['webhook']>

interface Diagnosis extends Words {
  readonly cause: string | null
  readonly since: string | null
}

/** Why a webhook fails, waits or sends nothing. What keeps every delivery back comes first, then what fails. */
export function diagnose(webhook: Webhook): Diagnosis {
  const { health, backlog, enabled } = webhook
  const failure = failureOf(webhook)
  if (!enabled) return { cause: 'DISABLED', since: health?.since ?? null, ...DISABLED }
  if (health?.state === 'ON_HOLD' && health.onHoldReason === 'RETRY_AFTER') {
    return {
      ...HOLDS.RETRY_AFTER,
      cause: failure?.cause ?? 'RETRY_AFTER',
      since: health.onHoldSince,
    }
  }
  if (health?.state === 'ON_HOLD' && failure) {
    const check = `${failure.check} ${HOLDS.FAILING.check}`
    return { ...failure, means: `${HOLDS.FAILING.means} ${failure.means}`, check }
  }
  if (failure) return failure
  if (health?.behindCause) {
    return {
      cause: health.behindCause,
      since: backlog?.oldest?.createdAt ?? health.since,
      ...BEHIND[health.behindCause],
    }
  }
  const waitsFor = backlog?.oldest?.parkedReason
  if (backlog?.oldest && waitsFor) {
    return { cause: waitsFor, since: backlog.oldest.createdAt, ...PARKED[waitsFor] }
  }
  const hasAttempts = (webhook.attempts?.nodes.length ?? 0) > 0
  return { cause: null, since: health?.since ?? null, ...(hasAttempts ? HEALTHY : NO_DELIVERIES) }
}

/** The last failure, unless a later attempt succeeded. */
function failureOf({ attempts, health, lastFailure }: Webhook): Diagnosis | null {
  const [last] = attempts?.nodes ?? []
  const isOver = last?.succeeded === true && !['FAILING', 'DEGRADED'].includes(health?.state ?? '')
  const cause = lastFailure?.cause ?? null
  if (lastFailure === null || cause === null || isOver) return null
  const words = wordsFor(cause) ?? { means: 'The last attempt failed.', check: 'See its error.' }
  const status = /^\d+$/.test(cause) ? `The endpoint answered with ${cause}. ` : ''
  return {
    cause,
    since: health?.failingSince ?? lastFailure.recordedAt,
    means: `${status}${words.means}`,
    check: words.check,
  }
}
