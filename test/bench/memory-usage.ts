import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { measureLongDrain } from './drains.ts'
import { startPosthornServer } from './posthorn-server.ts'

/** After this time, V8 has released the memory that starting used. */
const IDLE_MS = 15_000

/** G: the memory of a process under the longest load and when idle. */
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
  await sleep(IDLE_MS)
  bench.report({
    scenario: 'G',
    name: 'an idle process with all roles',
    value: await server.memory.now(),
    unit: 'MB',
    bound: { kind: 'at most', limit: 250 },
  })
}
