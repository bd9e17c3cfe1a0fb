import { expect, onTestFailed, test } from 'vitest'
import { runSuite } from './suite.ts'

/**
 * With this seed, the five rounds lose a machine, kill Postgres, cut off a worker, freeze one, and break all connections.
 * `npm run test:long` injects all faults.
 */
const SEED = 352

test('while processes are killed, frozen and cut off, every accepted event arrives at every subscribed webhook, every recorded success was acknowledged, and only attempts in flight arrive twice', async () => {
  const report = await runSuite({ length: { rounds: 5 }, seed: SEED, perSecond: 25 })
  onTestFailed(() => console.error(report))
  expect(report.violations).toEqual([])
  expect(report.accepted).toBeGreaterThan(100)
  expect(report.rejected).toBeGreaterThan(0)
  expect(report.missing).toBe(0)
  expect(report.succeeded).toBe(2 * report.accepted)
  expect(report.unacknowledged).toBe(0)
  expect(report.duplicates).toBeLessThanOrEqual(report.maxDuplicates)
}, 240_000)
