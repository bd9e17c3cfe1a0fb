import { performance } from 'node:perf_hooks'

/** Whether the event loop was busy for most of the time between the last two calls of `measure`. */
export function watchEventLoop(): { readonly isBusy: boolean; measure(): void } {
  let since = performance.eventLoopUtilization()
  let isBusy = false
  return {
    get isBusy() {
      return isBusy
    },
    measure() {
      const now = performance.eventLoopUtilization()
      isBusy = performance.eventLoopUtilization(now, since).utilization > BUSY_UTILIZATION
      since = now
    },
  }
}

const BUSY_UTILIZATION = 0.9
