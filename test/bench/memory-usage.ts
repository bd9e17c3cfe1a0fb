import type { Bench } from './bench.ts'
import { measureLongDrain } from './drains.ts'

/** G: the memory of a worker under the longest load. */
export async function reportMemory(bench: Bench): Promise<void> {
  const { peakMb } = await measureLongDrain(bench)
  bench.report({
    scenario: 'G',
    name: `peak of the worker draining ${bench.sizes.stored.toLocaleString('en')}`,
    value: peakMb,
    unit: 'MB',
    bound: { kind: 'at most', limit: 300 },
  })
}
