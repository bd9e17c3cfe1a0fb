import { expect, onTestFailed, test } from 'vitest'
import { runSuite } from './suite.ts'

/**
 * With this seed, the five rounds lose a machine, kill Postgres, cut off a worker, freeze one, and break all connections.
 * `npm run test:long` injects each fault several times, in another order each time.
 */
const SHORT = { rounds: 5, seed: 14492, perSecond: 25 }
const LONG = { rounds: 50, seed: Date.now(), perSecond: 200 }
const options = process.env['POSTHORN_TEST_LONG'] ? LONG : SHORT

test('while processes are killed, frozen and cut off, every accepted event arrives at every subscribed webhook, every recorded success was acknowledged, and only attempts in flight arrive twice', async () => {
  const report = await runSuite(options)
  onTestFailed(() => console.error(options, report))
  expect(report.violations).toEqual([])
  expect(report.accepted).toBeGreaterThan(100)
  expect(report.rejected).toBeGreaterThan(0)
  expect(report.missing).toBe(0)
  expect(report.succeeded).toBe(2 * report.accepted)
  expect(report.unacknowledged).toBe(0)
  expect(report.duplicates).toBeLessThanOrEqual(report.maxDuplicates)
}, 3_600_000)
