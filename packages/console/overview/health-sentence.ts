import type { DeliveryHealthFieldsFragment, WebhookState } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { counted, formatCount, formatDuration, formatElapsed, plural } from '../lib/format.ts'

export type DeliveryHealth = DeliveryHealthFieldsFragment

interface HealthSentence {
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
  const [isLate, ours] = ourPart(health, nowMs)
  const trouble = troubleOf(health.webhooks)
  return {
    fault: isLate ? 'ours' : trouble.length > 0 ? 'theirs' : 'none',
    text: `${ours} ${theirPart(health.webhooks, trouble)}`.trim(),
  }
}

type Part = readonly [isLate: boolean, text: string]

function ourPart({ waiting, firstAttemptDelay }: DeliveryHealth, nowMs: number): Part {
  const late = waiting.find(({ reason }) => reason === 'CAPACITY')
  if (late?.oldestAt && nowMs - Date.parse(late.oldestAt) > LATE_AFTER_MS) {
    const verb = plural(late.count, 'delivery waits', 'deliveries wait')
    const since = formatElapsed(late.oldestAt, nowMs)
    return [
      true,
      `Posthorn is late: ${countOf(late.count)} ${verb} for a free worker, the oldest for ${since}.`,
    ]
  }
  if (!firstAttemptDelay) return [false, 'No delivery was sent in the last hour.']
  const delay = `95% of deliveries were first sent within ${formatDuration(firstAttemptDelay.p95Ms)}`
  return firstAttemptDelay.p95Ms < SLOW_FROM_MS
    ? [false, `Posthorn keeps up: ${delay}.`]
    : [true, `Posthorn is slow: in the last hour, ${delay}.`]
}

const TROUBLE: readonly (readonly [WebhookState, string])[] = [
  ['ON_HOLD', 'on hold'],
  ['FAILING', 'failing'],
  ['BEHIND', 'behind'],
  ['DEGRADED', 'degraded'],
]

type StateCounts = DeliveryHealth['webhooks']

/** How many webhooks are in trouble, by state, the worst first. */
export function troubleOf(webhooks: StateCounts) {
  return TROUBLE.flatMap(([state, word]) => {
    const count = countIn(webhooks, state)
    return count > 0 ? [{ count, word }] : []
  })
}

const countIn = (webhooks: StateCounts, state: WebhookState) =>
  webhooks.find((each) => each.state === state)?.count ?? 0

/** When the oldest delivery was created that waits for any reason. */
export const oldestOf = (waiting: DeliveryHealth['waiting']) =>
  waiting
    .flatMap(({ oldestAt }) => oldestAt ?? [])
    .sort()
    .at(0)

const list = new Intl.ListFormat('en-GB')

function theirPart(webhooks: StateCounts, [first, ...others]: ReturnType<typeof troubleOf>) {
  if (!first) {
    const tried = countIn(webhooks, 'HEALTHY')
    if (tried === 0) return ''
    return tried === 1
      ? 'The webhook is healthy.'
      : `All ${formatCount(tried)} webhooks are healthy.`
  }
  const all = webhooks.reduce((sum, { count }) => sum + count, 0)
  const verb = plural(first.count, 'is', 'are')
  return `${list.format([
    `${formatCount(first.count)} of ${counted(all, 'webhook', 'webhooks')} ${verb} ${first.word}`,
    ...others.map(({ count, word }) => `${formatCount(count)} ${word}`),
  ])}.`
}
