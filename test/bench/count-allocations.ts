import { GCProfiler, getHeapStatistics } from 'node:v8'
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads'
import { ALLOCATED, type Allocated, TAKE_ALLOCATED } from './allocated.ts'

/*
 * Loaded by `--import` into a process and each of its threads: counts the bytes that a thread allocates in its heap. Between
 * two garbage collections, the heap grows by what is allocated.
 */

const usedBytes = () => getHeapStatistics().used_heap_size

let profiler = startProfiler()
let usedAfterBytes = usedBytes()

function startProfiler(): GCProfiler {
  const started = new GCProfiler()
  started.start()
  return started
}

/** The bytes allocated since the last call. */
function takeAllocated(): number {
  const usedNowBytes = usedBytes()
  let bytes = 0
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - usedAfterBytes
    usedAfterBytes = afterGC.heapStatistics.usedHeapSize
  }
  bytes += usedNowBytes - usedAfterBytes
  profiler = startProfiler()
  usedAfterBytes = usedBytes()
  return bytes
}

// The parent of the process asks the main thread, which asks the others. None of this keeps the process alive.
const channel = new BroadcastChannel(ALLOCATED)
if (isMainThread) {
  channel.onmessage = ({ data }) => process.send?.(data)
  process.on('message', (message) => {
    if (message === TAKE_ALLOCATED) channel.postMessage(message)
  })
  process.channel?.unref()
} else {
  channel.onmessage = ({ data }) => {
    if (data !== TAKE_ALLOCATED) return
    channel.postMessage({ thread: threadName, bytes: takeAllocated() } satisfies Allocated)
  }
}
channel.unref()
