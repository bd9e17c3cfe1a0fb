import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Logger } from './logger.ts'

/** The part of the heap that is in use after a full collection when memory is short. Node ends a thread at about 80 %. */
const SHORT_FROM = 0.7

const MIB = 1024 * 1024

let isShort = false

/** Whether the last full collection has freed too little of the heap of this thread. */
export const isMemoryShort = (): boolean => isShort

/**
 * Says in the log when the memory of this thread becomes short, and when it suffices again. `maxHeapMb`: of the old generation.
 * Default: that of Node for the main thread. Call it once in a thread.
 */
export function watchMemory(
  logger: Pick<Logger, 'info' | 'warn'>,
  maxHeapMb = Math.round(getHeapStatistics().heap_size_limit / MIB),
): Disposable {
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isFullCollection)) return
    const usedMb = Math.round(getHeapStatistics().used_heap_size / MIB)
    const wasShort = isShort
    isShort = usedMb > SHORT_FROM * maxHeapMb
    if (isShort === wasShort) return
    if (isShort) {
      logger.warn({ event: 'memory.short', usedMb, maxHeapMb }, SHORT)
    } else {
      logger.info({ event: 'memory.sufficient', usedMb, maxHeapMb }, 'the memory suffices again')
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

const SHORT =
  'the memory of the thread is short; it may end and be started again: raise POSTHORN_MAX_HEAP_MB, or start more processes'

/** The types of Node lack the detail. */
function isFullCollection(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } }
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}
