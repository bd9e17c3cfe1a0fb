import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { measureLongDrain } from './drains.ts'
import { startPosthornServer } from './posthorn-server.ts'

/** By then V8 has given back what starting took. */
const REST_MS = 15_000

/** G: how much memory a process takes, under the longest load and with nothing to do. */
export async function reportMemory(bench: Bench): Promise<void> {
  const { peakMb } = await measureLongDrain(bench)
  bench.report({
    scenario: 'G',
    name: `peak of the worker draining ${bench.sizes.stored.toLocaleString('en')}`,
    value: peakMb,
    unit: 'MB',
    bound: { kind: 'at most', limit: 300 },
  })
  await using database = await bench.server.createDatabase()
  await using server = await startPosthornServer(bench, database.url, 'all')
  await sleep(REST_MS)
  bench.report({
    scenario: 'G',
    name: 'a whole process at rest',
    value: await server.memory.now(),
    unit: 'MB',
    bound: { kind: 'at most', limit: 200 },
  })
}
