import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ALL_FAULTS } from './fault.ts'
import { installFullDisk } from './full-disk.ts'
import type { Member } from './members.ts'
import { planCombinations, planSingles } from './plan.ts'
import { startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { seededRandom } from './seeded-random.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { openTestbed } from './testbed.ts'
import { type Verification, verify } from './verification.ts'

export interface SuiteOptions {
  /** The number of rounds with one fault each, or the minutes of rounds with several. */
  readonly length: { readonly rounds: number } | { readonly minutes: number }
  /** Determines the faults and their times. */
  readonly seed: number
  /** Events published per second. */
  readonly perSecond: number
  /** Selects the faults whose name contains this text. */
  readonly only?: string
  /** The folder to write the logs of the processes to. */
  readonly logs?: string
  /** Ends the suite after the current round. */
  readonly signal?: AbortSignal
  readonly onRound?: (round: RoundResult) => void
}

export interface Report extends Verification {
  readonly rounds: readonly RoundResult[]
  readonly tookMs: number
  /** Faults that cannot be injected here, with the reasons. */
  readonly notInjected: readonly string[]
}

/**
 * Publishes to real processes during faults, and verifies the deliveries. The first two thirds hit an API and two workers,
 * and the last third one process with both roles.
 */
export async function runSuite(options: SuiteOptions): Promise<Report> {
  const { length, seed, perSecond, only = '', logs, signal, onRound } = options
  const startedAt = performance.now()
  const together = 'minutes' in length
  await using stack = new AsyncDisposableStack()
  const testbed = stack.use(await openTestbed(seed, { fakeClocks: together }))
  const { postgres, receiver, token } = testbed
  if (together) await installFullDisk(postgres)
  const members = await Promise.all([
    testbed.start('the API', 'api'),
    testbed.start('worker 1', 'worker'),
    testbed.start('worker 2', 'worker'),
  ])
  const apiNetwork = stack.use(await startTcpProxy(portOf(members[0] as Member)))
  const url = `http://127.0.0.1:${apiNetwork.port}`
  await testbed.register(url)

  const random = seededRandom(seed)
  const name = `fault-${seed}`
  const publisher = stack.use(startPublisher({ url: () => url, token, name, perSecond }))
  const rounds: RoundResult[] = []
  const retired: Member[] = []
  const plan = together ? planCombinations(only, random) : planSingles(length.rounds, only, random)
  const roundsStartedAt = performance.now()
  const progress = () =>
    together
      ? (performance.now() - roundsStartedAt) / (length.minutes * 60_000)
      : rounds.length / length.rounds
  while (progress() < 1 && !signal?.aborted) {
    if (progress() >= 2 / 3 && retired.length === 0) {
      const single = await testbed.start('the process', 'all')
      apiNetwork.leadTo(portOf(single))
      for (const member of members) await member.terminate()
      retired.push(...members.splice(0, members.length, single))
    }
    const round = { number: rounds.length + 1, faults: plan.next().value, together }
    const context = { ...testbed, members, apiNetwork }
    const result = await runRound(round, context, random, publisher)
    rounds.push(result)
    onRound?.(result)
  }
  await publisher[Symbol.asyncDispose]()
  const all = [...members, ...retired]
  const verification = await verify({ postgres, receiver, publisher, members: all, rounds })
  if (logs) {
    await mkdir(logs, { recursive: true })
    for (const { name, log, failedStarts } of all) {
      await writeFile(path.join(logs, `${name}.log`), [log, ...failedStarts].join('\n'))
    }
  }
  const notInjected = together
    ? ALL_FAULTS.flatMap(({ name, missing }) => (missing ? `${name}: ${missing}` : []))
    : []
  return { ...verification, rounds, tookMs: performance.now() - startedAt, notInjected }
}

const portOf = ({ url }: Member) => Number(new URL(url).port)
