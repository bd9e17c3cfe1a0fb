import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** The heap of this thread. */
export interface Memory extends Disposable {
  /** Whether the last collection of the whole heap left little room. */
  readonly isShort: boolean
  /** Calls `forget` after each collection that leaves little room. For values that can be made again. */
  onShort(forget: () => void): void
}

/** Shares of the limit of the heap that a collection leaves in use. */
const SHORT_FROM = 0.8
const ENOUGH_BELOW = 0.7

/** `used` returns the share of its limit that the heap has in use, after a collection. */
export function watchMemory(onChange: (isShort: boolean) => void, used = usedHeap): Memory {
  const forgets: (() => void)[] = []
  let isShort = false
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(isMajor)) return
    const share = used()
    if (share >= SHORT_FROM) for (const forget of forgets) forget()
    const next = share >= (isShort ? ENOUGH_BELOW : SHORT_FROM)
    if (next === isShort) return
    isShort = next
    onChange(isShort)
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    get isShort() {
      return isShort
    },
    onShort: (forget) => void forgets.push(forget),
    [Symbol.dispose]: () => observer.disconnect(),
  }
}

function usedHeap(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}

function isMajor(entry: PerformanceEntry): boolean {
  const { kind } = (entry as PerformanceEntry & { detail: { kind: number } }).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR
}
