import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { FAULTS, type Fault, type FaultContext } from './fault.ts'
import type { Member } from './members.ts'
import { startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { seededRandom } from './seeded-random.ts'
import { openTestbed } from './testbed.ts'
import { type Verification, verify } from './verification.ts'

export interface SuiteOptions {
  readonly rounds: number
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
}

/**
 * Publishes to real processes during faults, and verifies the deliveries. The first two thirds of the rounds hit an API and
 * two workers, and the last third one process with both roles.
 */
export async function runSuite(options: SuiteOptions): Promise<Report> {
  const { rounds, seed, perSecond, only = '', logs, signal, onRound } = options
  await using stack = new AsyncDisposableStack()
  const testbed = stack.use(await openTestbed(seed))
  const { postgres, receiver, token } = testbed
  const members = await Promise.all([
    testbed.start('the API', 'api'),
    testbed.start('worker 1', 'worker'),
    testbed.start('worker 2', 'worker'),
  ])
  let apiUrl = members[0]?.url as string
  await testbed.register(apiUrl)

  const random = seededRandom(seed)
  const name = `fault-${seed}`
  const publisher = stack.use(startPublisher({ url: () => apiUrl, token, name, perSecond }))
  const results: RoundResult[] = []
  const retired: Member[] = []
  const singleProcessRounds = Math.floor(rounds / 3)
  const faults = chooseFaults(rounds, only, random)
  for (const [index, fault] of faults.entries()) {
    if (signal?.aborted) break
    if (index === rounds - singleProcessRounds) {
      const single = await testbed.start('the process', 'all')
      apiUrl = single.url
      for (const member of members) await member.terminate()
      retired.push(...members.splice(0, members.length, single))
    }
    const context: FaultContext = { postgres, members, random }
    const result = await runRound(index + 1, fault, context, publisher)
    results.push(result)
    onRound?.(result)
  }
  await publisher[Symbol.asyncDispose]()
  const all = [...members, ...retired]
  const verification = await verify({
    postgres,
    receiver,
    publisher,
    members: all,
    rounds: results,
  })
  if (logs) {
    await mkdir(logs, { recursive: true })
    for (const { name, log } of all) await writeFile(path.join(logs, `${name}.log`), log)
  }
  return { ...verification, rounds: results }
}

/** Chooses each fault once, in random order, before it repeats any. */
function chooseFaults(count: number, only: string, random: () => number): Fault[] {
  const wanted = FAULTS.filter(({ name }) => name.includes(only))
  if (wanted.length === 0) throw new Error(`--only ${only}: no fault has a name with this text.`)
  const faults: Fault[] = []
  while (faults.length < count) {
    const kinds = [...wanted]
    while (kinds.length > 0) faults.push(...kinds.splice(Math.floor(random() * kinds.length), 1))
  }
  return faults.slice(0, count)
}
