import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { IN_FLIGHT } from './members.ts'
import type { OwnPostgres } from './own-postgres.ts'
import { startPublisher } from './publisher.ts'
import type { RoundResult } from './round.ts'
import { openStage } from './stage.ts'
import { judge } from './verdict.ts'

const TIMES = 20
const GOES_ON_WITHIN_MS = 15_000

/** In turn. */
const FAULTS: readonly [string, (postgres: OwnPostgres) => Promise<void>][] = [
  ['all connections broken', breakConnections],
  ['Postgres restarted', (postgres) => restart(postgres, 'fast')],
  ['all connections broken', breakConnections],
  ['Postgres restarted at once', (postgres) => restart(postgres, 'immediate')],
]

test(`${TIMES} times that Postgres restarts or drops every connection under load, deliveries go on within 15 s, the process lives, and nothing is lost`, async () => {
  await using stage = await openStage(1)
  const { postgres, receiver, token } = stage
  const member = await stage.start('the process', 'all')
  await stage.register(member.url)
  const { pid } = member
  const publisher = startPublisher({
    url: () => member.url,
    token,
    name: 'dropped',
    perSecond: 100,
  })
  await using _publisher = publisher
  const rounds: RoundResult[] = []
  try {
    for (let number = 1; number <= TIMES; number++) {
      const [fault, happen] = FAULTS[number % FAULTS.length] as (typeof FAULTS)[number]
      await sleep(500)
      const beganAtMs = Date.now()
      await happen(postgres)
      const backAtMs = Date.now()
      const event = await publisher.next()
      const acceptedAfterMs = Date.now() - backAtMs
      const goesOn = async () => (await receiver.countOf(event)) === 2
      const leftMs = GOES_ON_WITHIN_MS - acceptedAfterMs
      await until(goesOn, `deliveries go on, in round ${number} (${fault})`, leftMs)
      rounds.push({
        number,
        fault,
        beganAtMs,
        bound: IN_FLIGHT,
        awayMs: backAtMs - beganAtMs,
        acceptedAfterMs,
        settledAfterMs: Date.now() - beganAtMs,
        violations: [],
      })
    }
    await publisher[Symbol.asyncDispose]()
    const verdict = await judge({ postgres, receiver, publisher, members: [member], rounds })
    expect(verdict.violations).toEqual([])
    expect(verdict.accepted).toBeGreaterThan(100)
    expect([member.runs, member.pid]).toEqual([true, pid])
  } catch (error) {
    console.error(error, rounds, member.log.slice(-2_000))
    throw error
  }
}, 300_000)

async function breakConnections(postgres: OwnPostgres): Promise<void> {
  await postgres.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
}

async function restart(postgres: OwnPostgres, mode: 'fast' | 'immediate'): Promise<void> {
  await postgres.stop(mode)
  await postgres.start()
}
