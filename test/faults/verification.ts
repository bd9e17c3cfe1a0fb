import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { CountingReceiver } from './counting-receiver.ts'
import type { Member } from './members.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { Publisher } from './publisher.ts'
import type { SeenDelivery } from './receiver-process.ts'
import type { RoundResult } from './round.ts'

/** The deliveries that arrived, compared with the guarantees. */
export interface Verification {
  readonly accepted: number
  readonly rejected: number
  /** Deliveries of accepted events that did not arrive. */
  readonly missing: number
  /** Deliveries recorded as succeeded. */
  readonly succeeded: number
  /** Recorded successes that the receiver did not acknowledge. */
  readonly unacknowledged: number
  /** Arrivals after a 2xx for the same `wh-id`. */
  readonly duplicates: number
  readonly maxDuplicates: number
  /** Violated guarantees. */
  readonly violations: readonly string[]
}

interface VerificationInput {
  readonly postgres: PostgresServer
  readonly receiver: CountingReceiver
  readonly publisher: Publisher
  readonly members: readonly Member[]
  readonly rounds: readonly RoundResult[]
}

const HOOKS = ['/steady', '/shaky']
const DRAINED_WITHIN_MS = 60_000

export async function verify(input: VerificationInput): Promise<Verification> {
  const { postgres, receiver, publisher, members, rounds } = input
  const violations = rounds.flatMap(({ number, fault, violations: found }) =>
    found.map((text) => `Round ${number} (${fault}): ${text}`),
  )
  await until(() => isDrained(postgres), 'nothing is pending', DRAINED_WITHIN_MS).catch(() => {})
  violations.push(...(await findLeftovers(postgres)))

  const byId = await receiver.seen()
  const seen = [...byId.values()]
  const arrived = new Set(seen.map(({ event, path }) => `${event} ${path}`))
  const expected = [...publisher.accepted].flatMap((event) =>
    HOOKS.map((path) => `${event} ${path}`),
  )
  const missing = expected.filter((delivery) => !arrived.has(delivery))
  if (missing.length > 0) {
    violations.push(
      `${missing.length} deliveries of accepted events never arrived: ${missing.slice(0, 5)}`,
    )
  }
  const successes = await recordedSuccesses(postgres)
  const unacknowledged = unacknowledgedOf(successes, byId)
  if (unacknowledged.length > 0) {
    violations.push(
      `${unacknowledged.length} deliveries are recorded as succeeded without a 2xx: ${unacknowledged.slice(0, 5)}`,
    )
  }
  if (seen.length > arrived.size) {
    violations.push(
      `${seen.length - arrived.size} events became more than one delivery to a webhook.`,
    )
  }
  const fromRejected = seen.filter(({ event }) => publisher.rejected.has(event))
  if (fromRejected.length > 0) {
    violations.push(`${fromRejected.length} deliveries of rejected events arrived.`)
  }
  violations.push(
    ...publisher.unexpectedAnswers.slice(0, 5).map((text) => `The API answered ${text}`),
  )
  for (const member of members) violations.push(...findAlarmingLines(member))

  const duplicates = seen.reduce((sum, { duplicateAtMs }) => sum + duplicateAtMs.length, 0)
  violations.push(...findExcessDuplicates(seen, rounds))
  return {
    accepted: publisher.accepted.size,
    rejected: publisher.rejected.size,
    missing: missing.length,
    succeeded: successes.length,
    unacknowledged: unacknowledged.length,
    duplicates,
    maxDuplicates: rounds.reduce((sum, { maxDuplicates }) => sum + maxDuplicates, 0),
    violations,
  }
}

/** The number of duplicates of each fault: those that arrived between it and the next one. */
function countDuplicates(seen: readonly SeenDelivery[], rounds: readonly RoundResult[]): number[] {
  const counts = new Array<number>(rounds.length).fill(0)
  for (const atMs of seen.flatMap(({ duplicateAtMs }) => duplicateAtMs)) {
    const index = rounds.findLastIndex(({ startedAtMs }) => startedAtMs <= atMs)
    counts[Math.max(index, 0)] = (counts[Math.max(index, 0)] ?? 0) + 1
  }
  return counts
}

function findExcessDuplicates(
  seen: readonly SeenDelivery[],
  rounds: readonly RoundResult[],
): string[] {
  return countDuplicates(seen, rounds).flatMap((count, index) => {
    const { number, fault, maxDuplicates } = rounds[index] as RoundResult
    return count <= maxDuplicates
      ? []
      : `Round ${number} (${fault}): ${count} duplicates, more than ${maxDuplicates}.`
  })
}

/** A delivery, and the number of its attempts that are recorded as succeeded. */
interface Success {
  readonly id: string
  readonly attempts: number
}

/** Reads the successes that the delivery or one of its attempts records. */
async function recordedSuccesses(postgres: PostgresServer): Promise<Success[]> {
  return await postgres.query(
    `select posthorn.type_id('msg', id) as id, coalesce(attempts, 0) as attempts
     from (select id from posthorn.deliveries where state = 'succeeded') as d
     full join (
       select delivery_id as id, count(*)::int as attempts from posthorn.attempts where succeeded group by 1
     ) as a using (id)`,
  )
}

/** The ids of deliveries that the receiver acknowledged less often than is recorded. */
function unacknowledgedOf(
  successes: readonly Success[],
  seen: ReadonlyMap<string, SeenDelivery>,
): string[] {
  return successes
    .filter(({ id, attempts }) => (seen.get(id)?.acknowledged ?? 0) < Math.max(attempts, 1))
    .map(({ id }) => id)
}

async function isDrained(postgres: PostgresServer): Promise<boolean> {
  const leftovers = await findLeftovers(postgres)
  // The query reads all deliveries, so it must not run too often.
  if (leftovers.length > 0) await sleep(200)
  return leftovers.length === 0
}

/** Finds unfinished or failed deliveries, and their jobs. */
async function findLeftovers(postgres: PostgresServer): Promise<string[]> {
  const [row] = await postgres.query(
    `select
       (select count(*)::int from posthorn.deliveries where state = 'pending') as pending,
       (select count(*)::int from posthorn.deliveries where state not in ('pending', 'succeeded')) as failed_deliveries,
       (select count(*)::int from posthorn.deliveries as d
        where d.state = 'pending' and d.parked_at is null and not exists (
          select from graphile_worker.jobs as j where j.key = posthorn.type_id('msg', d.id))) as without_job,
       (select count(*)::int from graphile_worker.jobs where task_identifier = 'posthorn:deliver') as jobs,
       (select count(*)::int from graphile_worker.jobs
        where task_identifier = 'posthorn:deliver' and attempts >= max_attempts) as failed,
       (select count(*)::int from graphile_worker.jobs
        where task_identifier = 'posthorn:deliver' and key is null) as replaced`,
  )
  const names: Record<string, string> = {
    pending: 'deliveries are still pending',
    failed_deliveries: 'deliveries are exhausted or canceled',
    without_job: 'pending deliveries have no job, and are not parked',
    jobs: 'jobs are left',
    failed: 'jobs have failed',
    replaced: 'replaced jobs are left',
  }
  return Object.entries(row).flatMap(([name, count]) => (count ? `${count} ${names[name]}.` : []))
}

/** Finds errors in a log, and lines that are not JSON. */
function findAlarmingLines({ name, log }: Member): string[] {
  const lines = log.split('\n').filter((line) => line !== '')
  const alarming = lines.filter(
    (line) => !line.startsWith('{') || /"level":"(error|fatal)"/.test(line),
  )
  if (alarming.length === 0) return []
  return [
    `${name} wrote ${alarming.length} alarming lines, for example: ${alarming[0]?.slice(0, 400)}`,
  ]
}
