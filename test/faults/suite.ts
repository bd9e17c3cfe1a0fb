import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { chanceOf } from './chance.ts'
import { FAULTS, type Fault, type World } from './fault.ts'
import type { Member } from './members.ts'
import { startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { openStage } from './stage.ts'
import { judge, type Verdict } from './verdict.ts'

export interface SuiteOptions {
  readonly rounds: number
  /** Repeats the choice of faults and their moments. */
  readonly seed: number
  /** Events published in a second. */
  readonly perSecond: number
  /** Only the kinds of faults whose names hold this text. */
  readonly only?: string
  /** A folder to leave what the processes wrote in. */
  readonly logs?: string
  /** Ends the suite after the round that runs. */
  readonly signal?: AbortSignal
  readonly onRound?: (round: RoundResult) => void
}

export interface Report extends Verdict {
  readonly rounds: readonly RoundResult[]
}

/**
 * Publishes to real processes while faults strike them, and judges what arrived. The last third of the rounds hit one
 * process that does it all; the others an API and two workers.
 */
export async function runSuite(options: SuiteOptions): Promise<Report> {
  const { rounds, seed, perSecond, only = '', logs, signal, onRound } = options
  await using stack = new AsyncDisposableStack()
  const stage = stack.use(await openStage(seed))
  const { postgres, receiver, token } = stage
  const members = await Promise.all([
    stage.start('the API', 'api'),
    stage.start('worker 1', 'worker'),
    stage.start('worker 2', 'worker'),
  ])
  let apiUrl = members[0]?.url as string
  await stage.register(apiUrl)

  const chance = chanceOf(seed)
  const name = `fault-${seed}`
  const publisher = stack.use(startPublisher({ url: () => apiUrl, token, name, perSecond }))
  const results: RoundResult[] = []
  const retired: Member[] = []
  const single = Math.floor(rounds / 3)
  const faults = inSomeOrder(rounds, only, chance)
  for (const [index, fault] of faults.entries()) {
    if (signal?.aborted) break
    if (index === rounds - single) {
      const whole = await stage.start('the whole', 'all')
      apiUrl = whole.url
      for (const member of members) await member.terminate()
      retired.push(...members.splice(0, members.length, whole))
    }
    const world: World = { postgres, members, chance }
    const result = await runRound(index + 1, fault, world, publisher)
    results.push(result)
    onRound?.(result)
  }
  await publisher[Symbol.asyncDispose]()
  const all = [...members, ...retired]
  const verdict = await judge({
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
  return { ...verdict, rounds: results }
}

/** Every kind of fault comes before any comes again. */
function inSomeOrder(count: number, only: string, chance: () => number): Fault[] {
  const wanted = FAULTS.filter(({ name }) => name.includes(only))
  if (wanted.length === 0) throw new Error(`--only ${only}: no fault has that in its name.`)
  const faults: Fault[] = []
  while (faults.length < count) {
    const kinds = [...wanted]
    while (kinds.length > 0) faults.push(...kinds.splice(Math.floor(chance() * kinds.length), 1))
  }
  return faults.slice(0, count)
}
