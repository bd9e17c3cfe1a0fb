import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** Above this part of its limit, a heap has too little room for another large request. */
const FULL_AT = 0.75

/** A heap that is nearly full is collected many times a second. After this time without, most of it is free again. */
const FORGOTTEN_AFTER_MS = 1_000

let fullAt = Number.NEGATIVE_INFINITY
let isWatched = false

/**
 * Whether what lives on the heap of this thread is close to the limit, at which Node would end the thread. Only what is left
 * after a collection of the whole heap lives: at other times, most of the heap can be garbage.
 */
export function heapIsNearlyFull(): boolean {
  if (!isWatched) watch()
  return performance.now() - fullAt < FORGOTTEN_AFTER_MS
}

function watch(): void {
  isWatched = true
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isMajor)) return
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    const isFull = used_heap_size > FULL_AT * heap_size_limit
    fullAt = isFull ? performance.now() : Number.NEGATIVE_INFINITY
  })
  observer.observe({ entryTypes: ['gc'] })
}

/** https://nodejs.org/docs/latest-v24.x/api/perf_hooks.html#garbage-collection-gc-details */
function isMajor(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } }
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}
