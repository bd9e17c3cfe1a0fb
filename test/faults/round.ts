import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { Fault, World } from './fault.ts'
import type { Member } from './members.ts'
import type { Publisher } from './publisher.ts'

/** What one fault did. */
export interface RoundResult {
  readonly number: number
  readonly fault: string
  readonly beganAtMs: number
  /** How many deliveries may be doubled by it. */
  readonly bound: number
  /** How long what was hit was away. */
  readonly awayMs: number
  /** How long after that until an event that was published then was accepted. */
  readonly acceptedAfterMs: number
  /** How long after the fault began until nothing waited any more that should have been sent. */
  readonly settledAfterMs: number
  /** What must not be. */
  readonly violations: readonly string[]
}

const READY_WITHIN_MS = 20_000
const ACCEPTED_WITHIN_MS = 10_000

/** After the fault is over and every process is ready. */
const SETTLED_WITHIN_MS = 20_000

/**
 * After the fault began, where it needs a rescue: 15 s at most pass until then, by design. Then what was claimed, and what
 * was published meanwhile, is sent; some of it three times.
 */
const RESCUED_AND_SETTLED_WITHIN_MS = 15_000 + 10_000

export async function runRound(
  number: number,
  fault: Fault,
  world: World,
  publisher: Publisher,
): Promise<RoundResult> {
  const { members, chance } = world
  const violations: string[] = []
  const watch = async (what: string, withinMs: number, condition: () => Promise<boolean>) => {
    const startedAt = performance.now()
    await until(() => condition().catch(() => false), what, withinMs).catch((error) =>
      violations.push(error.message),
    )
    return performance.now() - startedAt
  }

  const pids = members.map(({ pid }) => pid)
  await sleep(300 + chance() * 1_200)
  const beganAtMs = Date.now()
  const bound = fault.bound(world)
  await fault.happen(world).catch((error) => violations.push(error.message))
  const awayMs = Date.now() - beganAtMs
  const isRestarted = members.some(({ role, pid }, n) => role !== 'worker' && pid !== pids[n])
  let accepted = false
  const published = publisher.next().then(() => {
    accepted = true
  })
  const acceptedAfterMs = await watch(
    'an event is accepted',
    // Where the API was started, it has to be ready first.
    ACCEPTED_WITHIN_MS + (isRestarted ? READY_WITHIN_MS : 0),
    async () => accepted,
  )
  if (accepted) await published
  for (const member of members) {
    await watch(`${member.name} is ready`, READY_WITHIN_MS, () => member.isReady())
    if (!member.runs) {
      violations.push(`${member.name} ended by itself. It wrote last: ${lastLineOf(member)}`)
      member.start()
    }
  }
  const limitMs = fault.needsRescue
    ? Math.max(beganAtMs + RESCUED_AND_SETTLED_WITHIN_MS - Date.now(), 10_000)
    : SETTLED_WITHIN_MS
  let unsettled: string[] = []
  await watch('what waits is sent', limitMs, async () => {
    unsettled = await findUnsettled(world)
    if (unsettled.length === 0) return true
    // It reads all deliveries, and must not be the load that it waits for.
    await sleep(200)
    return false
  })
  violations.push(...unsettled)
  return {
    number,
    fault: fault.name,
    beganAtMs,
    bound,
    awayMs,
    acceptedAfterMs,
    settledAfterMs: Date.now() - beganAtMs,
    violations,
  }
}

function lastLineOf({ log }: Member): string {
  return (log.trimEnd().split('\n').at(-1) ?? '').slice(0, 500)
}

/** What waits for its first attempt, or is claimed by a worker, longer than it should. */
async function findUnsettled({ postgres }: World): Promise<string[]> {
  const [row] = await postgres.query(
    `select
       (select count(*)::int from posthorn.deliveries
        where state = 'pending' and attempt_count = 0 and id < posthorn.uuid_v7_lower_bound(now() - interval '1500 ms')
       ) as unsent,
       (select count(*)::int from graphile_worker.jobs where locked_at < now() - interval '4 seconds') as claimed,
       (select count(*)::int from graphile_worker.jobs as job where locked_at is not null and not exists (
         select from posthorn.workers as worker where worker.id = job.locked_by)) as stray`,
  )
  const names: Record<string, string> = {
    unsent: 'deliveries wait for their first attempt',
    claimed: 'jobs have been claimed for more than 4 s',
    stray: 'jobs are claimed by workers that are gone',
  }
  return Object.entries(row).flatMap(([name, count]) => (count ? `${count} ${names[name]}` : []))
}
