import { getHeapStatistics } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { isMemoryShort, watchMemory } from '../../../src/telemetry/memory.ts'

/*
 * A thread that fills three quarters of its heap of 128 MiB, and empties the heap when a message asks for that. It sends each
 * line of the log. Left alone, V8 collects the whole heap after up to 20 seconds.
 */

const report = ({ event }: { event: string }) => parentPort?.postMessage([event, isMemoryShort()])
watchMemory({ warn: report, info: report } as Parameters<typeof watchMemory>[0], 128)

/** An array of pointers has eight bytes for each. */
const megabyte = () => new Array(128 * 1024).fill(report)
const held: unknown[] = []
while (getHeapStatistics().used_heap_size < 92 * 1024 * 1024) held.push(megabyte())
gc?.()
parentPort?.on('message', () => {
  held.length = 0
  gc?.()
})
