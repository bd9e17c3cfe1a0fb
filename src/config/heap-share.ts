import type { Config } from './config.ts'

/** A part of the heap of a thread, in bytes. What takes memory by the size of its input has such a bound. */
export function heapShare({ maxHeapMb }: Pick<Config, 'maxHeapMb'>, share: number): number {
  return maxHeapMb * 1024 * 1024 * share
}
