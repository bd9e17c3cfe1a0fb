/** The operations of one owner that run at a time have at most this size together. A larger one runs alone. */
export const RUNS_ALONE_BYTES = 512 * 1024

/** Lets the operations of each owner run in the order in which they came. */
export interface OperationQueue {
  /** Resolves when the operation may run. Call the function that it resolves to at the end. */
  enter(owner: string, size: number): Promise<() => void>
}

interface Queue {
  runningBytes: number
  readonly waiting: { readonly bytes: number; readonly start: (leave: () => void) => void }[]
}

export function createOperationQueue(): OperationQueue {
  const queues = new Map<string, Queue>()

  function startNext(owner: string, queue: Queue): void {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      const { bytes, start } = next
      if (queue.runningBytes > 0 && queue.runningBytes + bytes > RUNS_ALONE_BYTES) return
      queue.waiting.shift()
      queue.runningBytes += bytes
      start(() =>
        // Others are served between two operations.
        setImmediate(() => {
          queue.runningBytes -= bytes
          startNext(owner, queue)
        }),
      )
    }
    if (queue.runningBytes === 0) queues.delete(owner)
  }

  return {
    async enter(owner, size) {
      const bytes = Math.max(1, size)
      const queue = queues.get(owner) ?? { runningBytes: 0, waiting: [] }
      queues.set(owner, queue)
      return await new Promise((start) => {
        queue.waiting.push({ bytes, start })
        startNext(owner, queue)
      })
    },
  }
}
