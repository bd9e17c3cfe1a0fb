import { afterAll, beforeAll, expect, test } from 'vitest'
import { leftOutFor } from '../support/left-out.ts'
import { until } from '../support/until.ts'
import { FAKE_CLOCK_MISSING } from './fake-clock.ts'
import { fillDisk, freeDisk, installFullDisk } from './full-disk.ts'
import type { Member } from './members.ts'
import { NETWORK_FAULTS } from './network-faults.ts'
import { type Publisher, startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { seededRandom } from './seeded-random.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { openTestbed, type Testbed } from './testbed.ts'
import { verify } from './verification.ts'

/*
 * What `npm run test:long -- --minutes` adds to the single faults, each for seconds, with one process and one publisher. The
 * last test verifies what arrived.
 */
const PER_SECOND = 20
/** With this seed, no fault of the round takes longer than 4.4 s. */
const SEED = 3_037

let testbed: Testbed
let member: Member
let apiNetwork: TcpProxy
let publisher: Publisher
const rounds: RoundResult[] = []

beforeAll(async () => {
  testbed = await openTestbed(SEED, { fakeClocks: true })
  await installFullDisk(testbed.postgres)
  member = await testbed.start('the process', 'all')
  apiNetwork = await startTcpProxy(Number(new URL(member.url).port))
  const url = `http://127.0.0.1:${apiNetwork.port}`
  await testbed.register(url)
  publisher = startPublisher({
    url: () => url,
    token: testbed.token,
    name: 'together',
    perSecond: PER_SECOND,
  })
})
afterAll(async () => {
  await publisher[Symbol.asyncDispose]()
  await apiNetwork[Symbol.asyncDispose]()
  await testbed[Symbol.asyncDispose]()
})

test('while connections between all pairs of programs are dropped, delayed, half-closed and cut, everything recovers', async () => {
  const round = { number: 1, faults: NETWORK_FAULTS, together: true }
  const context = { ...testbed, members: [member], apiNetwork }
  const result = await runRound(round, context, seededRandom(SEED), publisher)
  rounds.push(result)
  expect(result.violations, member.log).toEqual([])
  expect(result.faults).toHaveLength(4)
})

test('while the name server is silent or fails, attempts say so, and all are delivered when it answers', async () => {
  for (const failure of ['SERVFAIL', 'silence'] as const) {
    const before = await countAttempts('name_lookup_failed')
    testbed.nameServer.fault = { failure }
    // Open connections last up to 10 s and need no name: new ones do.
    testbed.receiverNetwork.disconnect()
    testbed.receiverNetwork.connect()
    const event = await publisher.next()
    const failed = async () => (await countAttempts('name_lookup_failed')) > before
    await until(failed, `an attempt fails while the answer is ${failure}`)
    expect(await testbed.receiver.countOf(event)).toBe(0)
    testbed.nameServer.fault = null
    await until(async () => (await testbed.receiver.countOf(event)) === 2, 'the event arrives')
  }
})

test(
  'a process whose clock jumps hours forward and backward goes on',
  leftOutFor(FAKE_CLOCK_MISSING),
  async () => {
    for (const hours of [6, -6]) {
      member.clock?.set(hours * 3_600)
      const isThere = async () => Math.abs((await clockDifference()) - hours * 3_600) < 60
      await until(isThere, `the clock is ${hours} hours wrong`)
      const event = await publisher.next()
      await until(async () => (await testbed.receiver.countOf(event)) === 2, 'the event arrives')
    }
  },
)

test('while the disk is full, no event is accepted, and afterwards they are', async () => {
  await fillDisk(testbed.postgres)
  const { unavailable } = publisher.retries
  await until(() => publisher.retries.unavailable > unavailable, 'a publisher gets 503')
  await freeDisk(testbed.postgres)
  await publisher.next()
})

test('every accepted event arrived, every recorded success was acknowledged, and no job is left', async () => {
  await publisher[Symbol.asyncDispose]()
  const input = { ...testbed, publisher, members: [member], rounds }
  const verification = await verify(input)
  expect(verification.violations).toEqual([])
  expect(verification.accepted).toBeGreaterThan(PER_SECOND)
  expect(verification.succeeded).toBe(2 * verification.accepted)
})

test('what never arrived is a violation', async () => {
  publisher.accepted.add(1_000_000)
  const { violations, missing } = await verify({
    ...{ ...testbed, publisher, members: [member], rounds },
  })
  publisher.accepted.delete(1_000_000)
  expect(missing).toBe(2)
  expect(violations).toEqual([expect.stringMatching(/^2 deliveries of accepted events never/)])
})

async function countAttempts(code: string): Promise<number> {
  const [row] = await testbed.postgres.query(
    'select count(*)::int as count from posthorn.attempts where error_code = $1',
    [code],
  )
  return row.count
}

/** In seconds. */
async function clockDifference(): Promise<number> {
  const { headers } = await fetch(`${member.url}/healthz`)
  return (Date.parse(headers.get('date') ?? '') - Date.now()) / 1_000
}
