import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { MAX_STEPS } from '../../src/lib/work-budget.ts'
import type { Outcome, Work } from './hostile-work.ts'
import { SEED } from './start-api.ts'

/** Of each kind: templates and selections. */
const RUNS = process.env['POSTHORN_TEST_LONG'] ? 10_000 : 100

const MAX_ABOVE_REST_MB = 60
const YOUNG_MB = 8
/** The longest list that one step may find, in data of 256 KiB. */
const MAX_ITEMS = 131_072

/** The thread ends with an error if its heap grows larger. */
async function workInThread(work: Work, maxHeapMb: number): Promise<Outcome> {
  const worker = new Worker(new URL('hostile-work.ts', import.meta.url), {
    workerData: work,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const [outcome] = (await once(worker, 'message')) as [Outcome]
  return outcome
}

test('no template or selection takes more steps than its budget, or 60 MiB more memory, for any event', async () => {
  console.info(`FUZZ_SEED=${SEED}`)
  const { heapBytes } = await workInThread({ seed: SEED, runs: 0 }, 500)
  const maxHeapMb = heapBytes / 2 ** 20 + MAX_ABOVE_REST_MB
  const outcome = await workInThread({ seed: SEED, runs: RUNS }, maxHeapMb)
  expect(outcome.done).toBeGreaterThan(RUNS / 2)
  expect(outcome.overBudget).toBeGreaterThan(RUNS / 20)
  expect(outcome.mostSteps).toBeLessThan(MAX_STEPS + MAX_ITEMS)
})
