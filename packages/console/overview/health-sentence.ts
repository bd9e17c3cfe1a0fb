import type {
  DeliveryHealthFieldsFragment,
  WaitingReason,
  WebhookState,
} from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { formatCount, formatDuration, formatElapsed, plural } from '../lib/format.ts'

export type DeliveryHealth = DeliveryHealthFieldsFragment

export interface HealthSentence {
  /** `ours`: Posthorn is late. `theirs`: webhooks need attention. */
  readonly fault: 'none' | 'ours' | 'theirs'
  readonly text: string
}

/** A delivery that waits longer than this for a worker is late. */
const LATE_AFTER_MS = 60_000
/** Our delay, as the 95th percentile. */
const SLOW_FROM_MS = 5_000

/** Whether deliveries arrive and, if not, whether that is due to Posthorn or to the endpoints. */
export function healthSentence(health: DeliveryHealth, nowMs: number): HealthSentence {
  const ours = ourPart(health, nowMs)
  const theirs = theirPart(health.webhooks)
  return {
    fault: ours.isLate ? 'ours' : theirs.isTrouble ? 'theirs' : 'none',
    text: [ours.text, theirs.text].filter(Boolean).join(' '),
  }
}

function ourPart({ waiting, firstAttemptDelay }: DeliveryHealth, nowMs: number) {
  const late = waiting.find(({ reason }) => reason === 'CAPACITY')
  if (late?.oldestAt && nowMs - Date.parse(late.oldestAt) > LATE_AFTER_MS) {
    const verb = plural(late.count, 'delivery waits', 'deliveries wait')
    return {
      isLate: true,
      text: `Posthorn is late: ${countOf(late.count)} ${verb} for a free worker, the oldest for ${formatElapsed(late.oldestAt, nowMs)}.`,
    }
  }
  if (!firstAttemptDelay) return { isLate: false, text: 'No delivery was sent in the last hour.' }
  const delay = `95% of deliveries were first sent within ${formatDuration(firstAttemptDelay.p95Ms)}`
  return firstAttemptDelay.p95Ms < SLOW_FROM_MS
    ? { isLate: false, text: `Posthorn keeps up: ${delay}.` }
    : { isLate: true, text: `Posthorn is slow: in the last hour, ${delay}.` }
}

const TROUBLE: readonly (readonly [WebhookState, string])[] = [
  ['ON_HOLD', 'on hold'],
  ['FAILING', 'failing'],
  ['BEHIND', 'behind'],
  ['DEGRADED', 'degraded'],
]

/** How many webhooks are in trouble, by state, the worst first. */
export function troubleOf(webhooks: DeliveryHealth['webhooks']) {
  return TROUBLE.flatMap(([state, word]) => {
    const count = countIn(webhooks, state)
    return count > 0 ? [{ count, word }] : []
  })
}

const countIn = (webhooks: DeliveryHealth['webhooks'], state: WebhookState) =>
  webhooks.find((each) => each.state === state)?.count ?? 0

/** When the oldest delivery was created that waits for any reason. */
export const oldestOf = (waiting: DeliveryHealth['waiting']) =>
  waiting
    .flatMap(({ oldestAt }) => oldestAt ?? [])
    .sort()
    .at(0)

function theirPart(webhooks: DeliveryHealth['webhooks']) {
  const [first, ...others] = troubleOf(webhooks)
  if (!first) {
    const tried = countIn(webhooks, 'HEALTHY')
    if (tried === 0) return { isTrouble: false, text: '' }
    const text =
      tried === 1 ? 'The webhook is healthy.' : `All ${formatCount(tried)} webhooks are healthy.`
    return { isTrouble: false, text }
  }
  const all = webhooks.reduce((sum, { count }) => sum + count, 0)
  const firstPart = `${formatCount(first.count)} of ${formatCount(all)} ${plural(all, 'webhook', 'webhooks')} ${plural(first.count, 'is', 'are')} ${first.word}`
  const rest = others.map(({ count, word }) => `${formatCount(count)} ${word}`)
  return { isTrouble: true, text: `${listed([firstPart, ...rest])}.` }
}

/** "a, b and c" */
function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`
}

/** What deliveries wait for, in words. */
export const WAITING_REASONS: Readonly<Record<WaitingReason, string>> = {
  ON_HOLD: 'Webhook on hold',
  DISABLED: 'Webhook disabled',
  RATE_LIMIT: 'Rate limit',
  CONCURRENCY_LIMIT: 'Concurrency limit',
  ORDERED: 'In order',
  RETRY: 'Next retry',
  CAPACITY: 'Free worker',
}
