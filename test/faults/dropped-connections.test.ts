import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startStopwatch } from '../support/stopwatch.ts'
import { until } from '../support/until.ts'
import { IN_FLIGHT } from './members.ts'
import type { PostgresServer } from './postgres-server.ts'
import { startPublisher } from './publisher.ts'
import type { RoundResult } from './round.ts'
import { openTestbed } from './testbed.ts'
import { verify } from './verification.ts'

const ROUNDS = 4
const RESUMES_WITHIN_MS = 15_000

/** Each round injects the next one. */
const FAULTS: readonly [string, (postgres: PostgresServer) => Promise<void>][] = [
  ['all connections broken', breakConnections],
  ['Postgres restarted', (postgres) => restart(postgres, 'fast')],
  ['all connections broken', breakConnections],
  ['Postgres crashed and restarted', (postgres) => restart(postgres, 'immediate')],
]

test(`after each of ${ROUNDS} restarts of Postgres or drops of all connections under load, deliveries resume within 15 s, the process survives, and nothing is lost`, async () => {
  await using testbed = await openTestbed(1)
  const { postgres, receiver, token } = testbed
  const member = await testbed.start('the process', 'all')
  await testbed.register(member.url)
  const { pid } = member
  const publisher = startPublisher({
    url: () => member.url,
    token,
    name: 'dropped',
    perSecond: 50,
  })
  await using _publisher = publisher
  const rounds: RoundResult[] = []
  try {
    for (let number = 1; number <= ROUNDS; number++) {
      const [fault, inject] = FAULTS[number % FAULTS.length] as (typeof FAULTS)[number]
      await sleep(500)
      const startedAtMs = Date.now()
      await inject(postgres)
      const restoredAtMs = Date.now()
      const restored = startStopwatch()
      const event = await publisher.next()
      const acceptedAfterMs = Date.now() - restoredAtMs
      const resumed = async () => (await receiver.countOf(event)) === 2
      const leftMs = RESUMES_WITHIN_MS - restored.readMs()
      await until(resumed, `deliveries resume in round ${number} (${fault})`, leftMs)
      rounds.push({
        number,
        faults: [fault],
        startedAtMs,
        maxDuplicates: IN_FLIGHT,
        downMs: restoredAtMs - startedAtMs,
        acceptedAfterMs,
        settledAfterMs: Date.now() - startedAtMs,
        violations: [],
      })
    }
    await publisher[Symbol.asyncDispose]()
    const verification = await verify({ postgres, receiver, publisher, members: [member], rounds })
    expect(verification.violations).toEqual([])
    expect(verification.accepted).toBeGreaterThan(100)
    expect([member.runs, member.pid]).toEqual([true, pid])
  } catch (error) {
    console.error(error, rounds, member.log.slice(-2_000))
    throw error
  }
}, 300_000)

async function breakConnections(postgres: PostgresServer): Promise<void> {
  await postgres.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}

async function restart(postgres: PostgresServer, mode: 'fast' | 'immediate'): Promise<void> {
  await postgres.stop(mode)
  await postgres.start()
}
