import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { isMemoryShort, watchMemory } from '../../../src/telemetry/memory.ts'

/*
 * A thread that fills three quarters of its heap of 128 MiB, and empties the heap when a message asks for that. It sends each
 * line of the log.
 */

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const report = ({ event }: { event: string }) => parentPort?.postMessage([event, isMemoryShort()])
watchMemory({ warn: report, info: report } as Parameters<typeof watchMemory>[0], 128)

const held: unknown[] = []
while (getHeapStatistics().used_heap_size < 94 * 1024 * 1024) {
  held.push(new Array(128 * 1024).fill(report))
  collect()
}
parentPort?.on('message', () => {
  held.length = 0
  collect()
})
