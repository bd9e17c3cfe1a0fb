import { FAULTS, type Fault } from './fault.ts'
import type { Member } from './members.ts'
import { startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { seededRandom } from './seeded-random.ts'
import { openTestbed } from './testbed.ts'
import { type Verification, verify } from './verification.ts'

interface SuiteOptions {
  /** With one fault each. */
  readonly rounds: number
  /** Determines the faults and their times. */
  readonly seed: number
  /** Events published per second. */
  readonly perSecond: number
}

/**
 * Publishes to real processes during faults, and verifies the deliveries. The first two thirds hit an API and two workers,
 * and the last third one process with both roles.
 */
export async function runSuite({ rounds, seed, perSecond }: SuiteOptions): Promise<Verification> {
  await using stack = new AsyncDisposableStack()
  const testbed = stack.use(await openTestbed(seed))
  const { postgres, receiver, token } = testbed
  const members = await Promise.all([
    testbed.start('the API', 'api'),
    testbed.start('worker 1', 'worker'),
    testbed.start('worker 2', 'worker'),
  ])
  let { url } = members[0] as Member
  await testbed.register(url)
  const random = seededRandom(seed)
  const name = `fault-${seed}`
  const publisher = stack.use(startPublisher({ url: () => url, token, name, perSecond }))
  const results: RoundResult[] = []
  const retired: Member[] = []
  for (const [index, fault] of plan(rounds, random).entries()) {
    if (index / rounds >= 2 / 3 && retired.length === 0) {
      const single = await testbed.start('the process', 'all')
      url = single.url
      for (const member of members) await member.terminate()
      retired.push(...members.splice(0, members.length, single))
    }
    results.push(await runRound(index + 1, fault, { postgres, members }, random, publisher))
  }
  await publisher[Symbol.asyncDispose]()
  const all = [...members, ...retired]
  return await verify({ postgres, receiver, publisher, members: all, rounds: results })
}

/** Each fault is chosen once, in random order, before any repeats. */
function plan(count: number, random: () => number): Fault[] {
  const faults: Fault[] = []
  while (faults.length < count) {
    const left = [...FAULTS]
    while (left.length > 0) faults.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return faults.slice(0, count)
}
