import { performance } from 'node:perf_hooks'

/** Lets requests run in the order in which they came, for each owner separately. */
export interface Turns {
  /** Notes that the owner is active. */
  note(owner: string): void
  /**
   * Resolves when the request may run. Call the function that it resolves to at the end. While others are active, the
   * owner pauses after a large request for `pauses` times as long as it kept the process busy.
   */
  take(owner: string, bytes: number, pauses: number): Promise<() => void>
}

export interface TurnLimits {
  /** The sum of the requests of one owner that run at a time, while no other owner is active. A larger one runs alone. */
  readonly aloneBytes: number
  /** The same while others are active. */
  readonly sharedBytes: number
  /** While others are active, a request of this size runs alone. */
  readonly largeBytes: number
  /** How long an owner is active after a request. */
  readonly activeMs: number
}

/** A long request was mostly waiting, and others kept the process busy. */
const MAX_PAUSE_MS = 1_000

interface Queue {
  running: number
  readonly waiting: { readonly bytes: number; readonly start: (end: () => void) => void }[]
}

export function createTurns(limits: TurnLimits): Turns {
  const queues = new Map<string, Queue>()
  const others = trackOthers(limits.activeMs)

  function startNext(owner: string, queue: Queue): void {
    const isShared = others.areActive(owner)
    const maxBytes = isShared ? limits.sharedBytes : limits.aloneBytes
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      const runsAlone = isShared && next.bytes >= limits.largeBytes
      const bytes = runsAlone ? maxBytes : next.bytes
      if (queue.running > 0 && queue.running + bytes > maxBytes) return
      queue.running += bytes
      queue.waiting.shift()
      next.start(() => {
        queue.running -= bytes
        startNext(owner, queue)
      })
    }
    if (queue.running === 0) queues.delete(owner)
  }

  return {
    note: others.note,
    async take(owner, bytes, pauses) {
      const queue = queues.get(owner) ?? { running: 0, waiting: [] }
      queues.set(owner, queue)
      const end = await new Promise<() => void>((start) => {
        queue.waiting.push({ bytes, start })
        startNext(owner, queue)
      })
      if (bytes < limits.largeBytes) return end
      const before = performance.eventLoopUtilization()
      return () => {
        const { active: busyMs } = performance.eventLoopUtilization(before)
        if (others.areActive(owner)) setTimeout(end, Math.min(pauses * busyMs, MAX_PAUSE_MS))
        else end()
      }
    },
  }
}

function trackOthers(activeMs: number) {
  let last = { owner: '', atMs: Number.NEGATIVE_INFINITY }
  /** The last one of another owner. */
  let before = last
  return {
    note(owner: string) {
      if (owner !== last.owner) before = last
      last = { owner, atMs: performance.now() }
    },
    areActive(owner: string) {
      const { atMs } = owner === last.owner ? before : last
      return performance.now() - atMs < activeMs
    },
  }
}
