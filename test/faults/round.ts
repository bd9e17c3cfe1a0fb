import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { Fault, FaultContext } from './fault.ts'
import type { Member } from './members.ts'
import type { Publisher } from './publisher.ts'
import { seededRandom } from './seeded-random.ts'
import { findRows } from './verification.ts'

/** The effects of the fault of one round. */
export interface RoundResult {
  readonly number: number
  readonly fault: string
  readonly startedAtMs: number
  /** The maximum number of duplicates it may cause. */
  readonly maxDuplicates: number
  /** Violated guarantees. */
  readonly violations: readonly string[]
}

const READY_WITHIN_MS = 20_000
const ACCEPTED_WITHIN_MS = 10_000

/** Counts from the end of the fault, when every process is ready. */
const SETTLED_WITHIN_MS = 20_000

/**
 * Counts from the start of a fault that needs a rescue, which takes up to 15 s. Then the rescued deliveries and the ones
 * published in between are sent, some of them three times.
 */
const RESCUED_AND_SETTLED_WITHIN_MS = 15_000 + 10_000

export async function runRound(
  number: number,
  fault: Fault,
  given: Omit<FaultContext, 'random'>,
  random: () => number,
  publisher: Publisher,
): Promise<RoundResult> {
  const { members } = given
  const violations: string[] = []
  const watch = (what: string, withinMs: number, condition: () => Promise<boolean>) =>
    until(() => condition().catch(() => false), what, withinMs).catch((error) => {
      violations.push(error.message)
    })

  const pids = members.map(({ pid }) => pid)
  await sleep(300 + random() * 1_200)
  const startedAtMs = Date.now()
  // Of its own, so that its choices do not depend on when others make theirs.
  const context = { ...given, random: seededRandom(Math.floor(random() * 2 ** 32)) }
  const maxDuplicates = fault.maxDuplicates(context)
  await fault.inject(context).catch((error) => violations.push(error.message))
  const isRestarted = members.some(({ role, pid }, n) => role !== 'worker' && pid !== pids[n])
  let accepted = false
  const published = publisher.next().then(() => {
    accepted = true
  })
  await watch(
    'an event is accepted',
    // A restarted API has to become ready first.
    ACCEPTED_WITHIN_MS + (isRestarted ? READY_WITHIN_MS : 0),
    async () => accepted,
  )
  if (accepted) await published
  for (const member of members) {
    await watch(`${member.name} is ready`, READY_WITHIN_MS, () => member.isReady())
    if (!member.runs) {
      violations.push(`${member.name} ended by itself. Its last log line: ${lastLineOf(member)}`)
      member.start()
    }
  }
  const limitMs = fault.needsRescue
    ? Math.max(startedAtMs + RESCUED_AND_SETTLED_WITHIN_MS - Date.now(), 10_000)
    : SETTLED_WITHIN_MS
  let unsettled: string[] = []
  await watch('all deliveries are sent', limitMs, async () => {
    unsettled = await findRows(given.postgres, UNSETTLED)
    // The query reads all deliveries, so it must not run too often.
    if (unsettled.length > 0) await sleep(200)
    return unsettled.length === 0
  })
  violations.push(...unsettled)
  return { number, fault: fault.name, startedAtMs, maxDuplicates, violations }
}

function lastLineOf({ log }: Member): string {
  return (log.trimEnd().split('\n').at(-1) ?? '').slice(0, 500)
}

/** Deliveries that wait too long for their first attempt, and jobs that are claimed for too long. */
const UNSETTLED = {
  'deliveries wait for their first attempt': `posthorn.deliveries
    where state = 'pending' and attempt_count = 0 and id < posthorn.uuid_v7_lower_bound(now() - interval '1500 ms')`,
  'jobs have been claimed for more than 4 s': `graphile_worker.jobs where locked_at < now() - interval '4 seconds'`,
  'jobs are claimed by workers that do not exist': `graphile_worker.jobs as job where locked_at is not null and not exists (
    select from posthorn.workers as worker where worker.id = job.locked_by)`,
}
