import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { Fault, FaultContext } from './fault.ts'
import { IN_FLIGHT, type Member } from './members.ts'
import type { Publisher } from './publisher.ts'
import { seededRandom } from './seeded-random.ts'

/** The effects of the faults of one round. */
export interface RoundResult {
  readonly number: number
  readonly faults: readonly string[]
  readonly startedAtMs: number
  /** The maximum number of duplicates they may cause. */
  readonly maxDuplicates: number
  /** The duration of the faults. */
  readonly downMs: number
  /** The time from the end of the faults until an event published after it was accepted. */
  readonly acceptedAfterMs: number
  /** The time from the start of the faults until no delivery waited that should have been sent. */
  readonly settledAfterMs: number
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

/** With several faults, every event that was published before they ended is also waited for. */
const DELIVERED_WITHIN_MS = 60_000

export interface Round {
  readonly number: number
  readonly faults: readonly Fault[]
  /** Whether the faults were chosen to happen together. */
  readonly together: boolean
}

export async function runRound(
  { number, faults, together }: Round,
  given: Omit<FaultContext, 'random' | 'allowDuplicates'>,
  random: () => number,
  publisher: Publisher,
): Promise<RoundResult> {
  const { members } = given
  const violations: string[] = []
  const watch = async (what: string, withinMs: number, condition: () => Promise<boolean>) => {
    const startedAt = performance.now()
    await until(() => condition().catch(() => false), what, withinMs).catch((error) =>
      violations.push(error.message),
    )
    return performance.now() - startedAt
  }

  const pids = members.map(({ pid }) => pid)
  const replacedBefore = countReplacedRunners(members)
  await sleep(300 + random() * 1_200)
  const startedAtMs = Date.now()
  let maxDuplicates = 0
  const injections = faults.map(async (fault, index) => {
    const context: FaultContext = {
      ...given,
      // Of its own, so that its choices do not depend on when others make theirs.
      random: seededRandom(Math.floor(random() * 2 ** 32)),
      allowDuplicates: (count) => {
        maxDuplicates += count
      },
    }
    maxDuplicates += fault.maxDuplicates(context)
    if (index > 0) await sleep(context.random() * 2_000)
    await fault.inject(context)
  })
  for (const { status, reason } of (await Promise.allSettled(
    injections,
  )) as PromiseRejectedResult[])
    if (status === 'rejected') violations.push(reason.message)
  const downMs = Date.now() - startedAtMs
  const isRestarted = members.some(({ role, pid }, n) => role !== 'worker' && pid !== pids[n])
  let accepted = false
  const published = publisher.next().then(() => {
    accepted = true
  })
  const acceptedAfterMs = await watch(
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
  const limitMs = faults.some(({ needsRescue }) => needsRescue)
    ? Math.max(startedAtMs + RESCUED_AND_SETTLED_WITHIN_MS - Date.now(), 10_000)
    : SETTLED_WITHIN_MS
  let unsettled: string[] = []
  const settle = (find: () => Promise<string[]>) => async () => {
    unsettled = await find()
    if (unsettled.length === 0) return true
    // The query reads all deliveries, so it must not run too often.
    await sleep(200)
    return false
  }
  // Faults may end at different times, so a rescue can begin when the last one ends.
  const settledLimitMs = together ? RESCUED_AND_SETTLED_WITHIN_MS + SETTLED_WITHIN_MS : limitMs
  await watch(
    'all deliveries are sent',
    settledLimitMs,
    settle(() => findUnsettled(given)),
  )
  violations.push(...unsettled)
  const settledAfterMs = Date.now() - startedAtMs
  if (together) {
    const endedAt = new Date(startedAtMs + downMs)
    const what = 'all events of before are delivered'
    await watch(
      what,
      DELIVERED_WITHIN_MS,
      settle(() => findUndelivered(given, endedAt)),
    )
    violations.push(...unsettled)
    // Each runner that is replaced leaves its attempts in flight.
    maxDuplicates += (countReplacedRunners(members) - replacedBefore) * IN_FLIGHT
  }
  return {
    number,
    faults: faults.map(({ name }) => name),
    startedAtMs,
    maxDuplicates,
    downMs,
    acceptedAfterMs,
    settledAfterMs,
    violations,
  }
}

function countReplacedRunners(members: readonly Member[]): number {
  const logs = members.map(({ log }) => log.split('Replacing the worker runner.').length - 1)
  return logs.reduce((sum, count) => sum + count, 0)
}

function lastLineOf({ log }: Member): string {
  return (log.trimEnd().split('\n').at(-1) ?? '').slice(0, 500)
}

/** Finds deliveries that wait too long for their first attempt, and jobs that are claimed for too long. */
async function findUnsettled({ postgres }: Pick<FaultContext, 'postgres'>): Promise<string[]> {
  const [row] = await postgres.query(
    `select
       (select count(*)::int from posthorn.deliveries
        where state = 'pending' and attempt_count = 0 and id < posthorn.uuid_v7_lower_bound(now() - interval '1500 ms')
       ) as unsent,
       (select count(*)::int from graphile_worker.jobs where locked_at < now() - interval '4 seconds') as claimed,
       (select count(*)::int from graphile_worker.jobs as job where locked_at is not null and not exists (
         select from posthorn.workers as worker where worker.id = job.locked_by)) as orphaned`,
  )
  const names: Record<string, string> = {
    unsent: 'deliveries wait for their first attempt',
    claimed: 'jobs have been claimed for more than 4 s',
    orphaned: 'jobs are claimed by workers that do not exist',
  }
  return Object.entries(row).flatMap(([name, count]) => (count ? `${count} ${names[name]}` : []))
}

/** Finds deliveries of before a time that are not final, and any that have no job though they are not parked. */
async function findUndelivered(
  { postgres }: Pick<FaultContext, 'postgres'>,
  before: Date,
): Promise<string[]> {
  const [row] = await postgres.query(
    `select
       count(*) filter (where id < posthorn.uuid_v7_lower_bound($1::timestamptz))::int as undelivered,
       count(*) filter (where parked_at is null and not exists (
         select from graphile_worker.jobs as job where job.key = posthorn.type_id('msg', delivery.id)))::int as without_job
     from posthorn.deliveries as delivery where state = 'pending'`,
    [before],
  )
  return [
    ...(row.undelivered ? [`${row.undelivered} deliveries of before are not final`] : []),
    ...(row.without_job ? [`${row.without_job} pending deliveries have no job`] : []),
  ]
}
