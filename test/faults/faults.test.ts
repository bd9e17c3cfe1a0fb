import { expect, test } from 'vitest'
import { runSuite } from './suite.ts'

/**
 * With it, the five rounds let a machine vanish, kill Postgres, cut a worker off, freeze one, and break all connections.
 * The long form, `npm run test:long`, has them all.
 */
const SEED = 40_339

test('whatever dies, freezes or is cut off meanwhile, every accepted event arrives at every subscribed webhook, what is recorded as succeeded was acknowledged, and at most what was in flight arrives twice', async () => {
  const report = await runSuite({ rounds: 5, seed: SEED, perSecond: 100 }).catch(show)
  try {
    expect(report.violations).toEqual([])
    expect(report.accepted).toBeGreaterThan(100)
    expect(report.refused).toBeGreaterThan(0)
    expect(report.missing).toBe(0)
    expect(report.succeeded).toBe(2 * report.accepted)
    expect(report.unacknowledged).toBe(0)
    expect(report.duplicates).toBeLessThanOrEqual(report.duplicatesAtMost)
  } catch (error) {
    console.error(report)
    show(error)
  }
}, 240_000)

/** A try that is followed by another is not shown otherwise. */
function show(error: unknown): never {
  console.error(error)
  throw error
}
