import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { Fault, World } from './fault.ts'
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
const SETTLED_WITHIN_MS = 20_000

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

  await sleep(300 + chance() * 1_200)
  const beganAtMs = Date.now()
  const bound = fault.bound(world)
  await fault.happen(world).catch((error) => violations.push(error.message))
  const awayMs = Date.now() - beganAtMs
  let accepted = false
  const published = publisher.next().then(() => {
    accepted = true
  })
  const acceptedAfterMs = await watch(
    'an event is accepted',
    ACCEPTED_WITHIN_MS,
    async () => accepted,
  )
  if (accepted) await published
  for (const member of members) {
    await watch(`${member.name} is ready`, READY_WITHIN_MS, () => member.isReady())
    if (!member.runs) violations.push(`${member.name} ended by itself.`)
  }
  await watch('what waits is sent', SETTLED_WITHIN_MS, () => isSettled(world))
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

/** Whether nothing waits for its first attempt, or is held by a worker, longer than it should, or by one that is gone. */
async function isSettled({ postgres }: World): Promise<boolean> {
  const [row] = await postgres.query(
    `select (
       select count(*) from posthorn.deliveries
       where state = 'pending' and attempt_count = 0 and id < posthorn.uuid_v7_lower_bound(now() - interval '1500 ms')
     ) + (
       select count(*) from graphile_worker._private_jobs as job
       where locked_at < now() - interval '4 seconds' or locked_at is not null and not exists (
         select from pg_locks where locktype = 'advisory' and objsubid = 1
           and (classid::bigint << 32) | objid::bigint = hashtextextended(job.locked_by, 0)
       )
     ) as waiting`,
  )
  return Number(row.waiting) === 0
}
