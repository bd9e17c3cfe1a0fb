import { until } from '../support/until.ts'
import type { CountingReceiver } from './counting-receiver.ts'
import type { Member } from './members.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { Publisher } from './publisher.ts'
import type { RoundResult } from './round.ts'

interface VerificationInput {
  readonly postgres: PostgresServer
  readonly receiver: CountingReceiver
  readonly publisher: Publisher
  readonly members: readonly Member[]
  readonly rounds: readonly RoundResult[]
}

export type Verification = Awaited<ReturnType<typeof verify>>

const HOOKS = ['/steady', '/shaky']
const DRAINED_WITHIN_MS = 60_000

/** The deliveries that arrived, compared with the guarantees. */
export async function verify(input: VerificationInput) {
  const { postgres, receiver, publisher, members, rounds } = input
  const leftovers = () => findRows(postgres, LEFTOVERS)
  const isDrained = async () => (await leftovers()).length === 0
  await until(isDrained, 'nothing is pending', DRAINED_WITHIN_MS).catch(() => {})

  const byId = await receiver.seen()
  const seen = [...byId.values()]
  const arrived = new Set(seen.map(({ event, path }) => `${event} ${path}`))
  const missing = [...publisher.accepted]
    .flatMap((event) => HOOKS.map((path) => `${event} ${path}`))
    .filter((delivery) => !arrived.has(delivery))
  const successes = await recordedSuccesses(postgres)
  /** Those that the receiver acknowledged less often than is recorded. */
  const unacknowledged = successes
    .filter(({ id, attempts }) => (byId.get(id)?.acknowledged ?? 0) < Math.max(attempts, 1))
    .map(({ id }) => id)
  const fromRejected = seen.filter(({ event }) => publisher.rejected.has(event))
  const duplicates = seen.flatMap(({ duplicateAtMs }) => duplicateAtMs)
  const violations = [
    ...rounds.flatMap(({ number, fault, violations: found, maxDuplicates }, index) => {
      const count = duplicates.filter((atMs) => roundAt(rounds, atMs) === index).length
      const excess =
        count > maxDuplicates ? [`${count} duplicates, more than ${maxDuplicates}.`] : []
      return [...found, ...excess].map((text) => `Round ${number} (${fault}): ${text}`)
    }),
    ...(await leftovers()),
    ...some('deliveries of accepted events never arrived', missing),
    ...some('deliveries are recorded as succeeded without a 2xx', unacknowledged),
    ...some(
      'deliveries of rejected events arrived',
      fromRejected.map(({ event }) => event),
    ),
    ...some('unexpected answers of the API', publisher.unexpectedAnswers),
    ...members.flatMap(({ name, log }) => some(`alarming lines of ${name}`, alarmingLines(log))),
    ...(seen.length > arrived.size ? ['Some event became two deliveries to a webhook.'] : []),
  ]
  return {
    accepted: publisher.accepted.size,
    rejected: publisher.rejected.size,
    missing: missing.length,
    succeeded: successes.length,
    unacknowledged: unacknowledged.length,
    duplicates: duplicates.length,
    maxDuplicates: rounds.reduce((sum, { maxDuplicates }) => sum + maxDuplicates, 0),
    violations,
  }
}

/** The round of a duplicate: it arrived between its fault and the next one. */
const roundAt = (rounds: readonly RoundResult[], atMs: number) =>
  Math.max(
    rounds.findLastIndex(({ startedAtMs }) => startedAtMs <= atMs),
    0,
  )

const some = (what: string, found: readonly unknown[]) =>
  found.length === 0 ? [] : [`${found.length} ${what}: ${found.slice(0, 5)}`]

/** Counts the rows of each source. Returns the counts that are not zero. */
export async function findRows(
  postgres: PostgresServer,
  sources: Readonly<Record<string, string>>,
): Promise<string[]> {
  const counts = Object.values(sources).map(
    (from, i) => `(select count(*)::int from ${from}) as c${i}`,
  )
  const [row] = await postgres.query(`select ${counts.join(', ')}`)
  return Object.keys(sources).flatMap((what, i) => (row[`c${i}`] ? `${row[`c${i}`]} ${what}.` : []))
}

const DELIVER = `graphile_worker.jobs where task_identifier = 'posthorn:deliver'`

/** Unfinished or failed deliveries, and their jobs. */
const LEFTOVERS = {
  'deliveries are still pending': `posthorn.deliveries where state = 'pending'`,
  'deliveries are exhausted or canceled': `posthorn.deliveries where state not in ('pending', 'succeeded')`,
  'pending deliveries have no job, and are not parked': `posthorn.deliveries as d
    where d.state = 'pending' and d.parked_at is null and not exists (
      select from graphile_worker.jobs as j where j.key = posthorn.type_id('msg', d.id))`,
  'jobs are left': DELIVER,
  'jobs have failed': `${DELIVER} and attempts >= max_attempts`,
  'replaced jobs are left': `${DELIVER} and key is null`,
}

/** The successes that the delivery or one of its attempts records, with the number of such attempts. */
async function recordedSuccesses(
  postgres: PostgresServer,
): Promise<{ readonly id: string; readonly attempts: number }[]> {
  return await postgres.query(
    `select posthorn.type_id('msg', id) as id, coalesce(attempts, 0) as attempts
     from (select id from posthorn.deliveries where state = 'succeeded') as d
     full join (
       select delivery_id as id, count(*)::int as attempts from posthorn.attempts where succeeded group by 1
     ) as a using (id)`,
  )
}

/** Errors in a log, and lines that are not JSON. */
function alarmingLines(log: string): string[] {
  const lines = log.split('\n').filter((line) => line !== '')
  return lines.filter((line) => !line.startsWith('{') || /"level":"(error|fatal)"/.test(line))
}
