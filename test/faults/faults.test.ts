import { expect, test } from 'vitest'
import { runSuite } from './suite.ts'

/** With it, the six rounds freeze and kill a worker, kill Postgres and the API, end a worker, and stop Postgres at once. */
const SEED = 3

test('whatever is killed meanwhile, every accepted event arrives at every subscribed webhook, and at most what was in flight arrives twice', async () => {
  const report = await runSuite({ rounds: 6, seed: SEED, perSecond: 100 }).catch(tell)
  try {
    expect(report.violations).toEqual([])
    expect(report.accepted).toBeGreaterThan(100)
    expect(report.refused).toBeGreaterThan(0)
    expect(report.missing).toBe(0)
    expect(report.duplicates).toBeLessThanOrEqual(report.duplicatesAtMost)
  } catch (error) {
    console.error(report)
    tell(error)
  }
}, 180_000)

/** A try that is followed by another is not shown otherwise. */
function tell(error: unknown): never {
  console.error(error)
  throw error
}
