import { expect, test } from 'vitest'
import { openWorkerProcesses, type WorkerProcesses } from '../bulk-tasks/worker-processes.ts'
import { until } from '../support/until.ts'
import { countJobs, createWebhook, numberOf, publish, untilSucceeded } from './support/backlog.ts'

/** Starts two workers. During the nth request for each n of `points`, kills one and starts another. */
function killAt({ receiver, start }: WorkerProcesses, points: readonly number[]) {
  let victim = start()
  start()
  let killed = 0
  return {
    get killed() {
      return killed
    },
    countRequest() {
      if (!points.includes(receiver.received.length)) return
      victim.child.kill('SIGKILL')
      killed += 1
      victim = start()
    },
  }
}

const randomBetween = (from: number, to: number) => from + Math.floor(Math.random() * (to - from))

test('an ordered webhook keeps its order while its endpoint fails and workers are killed', async () => {
  await using testbed = await openWorkerProcesses()
  const { receiver, api } = testbed
  const { database, tenant } = api
  const count = 60
  const points = [randomBetween(5, 25), randomBetween(40, 60)]
  const killer = killAt(testbed, points)
  const failures = new Map<number, number>()
  receiver.answer = (response, request) => {
    const number = numberOf(request)
    const failed = failures.get(number) ?? 0
    const fails = number % 7 === 3 && failed < 2
    if (fails) failures.set(number, failed + 1)
    killer.countRequest()
    setTimeout(() => response.writeHead(fails ? 500 : 200).end(), 10)
  }
  await createWebhook(api, receiver.url, { ordered: true })
  await publish(database.pool, tenant.publicOrganizationId, count)
  await untilSucceeded(database.pool, count, 60_000)
  const arrived = receiver.received.map(numberOf)
  // A delivery in flight may be repeated, but no delivery overtakes another.
  expect(arrived, `kills at ${points}`).toEqual(arrived.toSorted((a, b) => a - b))
  expect(new Set(arrived).size).toBe(count)
  expect(killer.killed).toBe(2)
  // Each kill repeats at most the delivery in flight.
  expect(
    arrived.length - count - [...failures.values()].reduce((a, b) => a + b, 0),
  ).toBeLessThanOrEqual(2)
  await until(async () => (await countJobs(database.pool)) === 0, 'no job is left')
})
