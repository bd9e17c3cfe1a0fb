/** Lets requests run in the order in which they came, for each owner separately. */
export interface Turns {
  /** Resolves when the request may run. Call the function that it resolves to at the end. */
  take(owner: string, bytes: number): Promise<() => void>
}

interface Queue {
  running: number
  readonly waiting: { readonly bytes: number; readonly start: () => void }[]
}

/** The requests of an owner run together up to `maxBytes`. A larger one runs alone. */
export function createTurns(maxBytes: number): Turns {
  const queues = new Map<string, Queue>()

  function startNext(owner: string, queue: Queue): void {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      if (queue.running > 0 && queue.running + next.bytes > maxBytes) return
      queue.running += next.bytes
      queue.waiting.shift()
      next.start()
    }
    if (queue.running === 0) queues.delete(owner)
  }

  return {
    async take(owner, bytes) {
      const queue = queues.get(owner) ?? { running: 0, waiting: [] }
      queues.set(owner, queue)
      await new Promise<void>((start) => {
        queue.waiting.push({ bytes, start })
        startNext(owner, queue)
      })
      return () => {
        queue.running -= bytes
        startNext(owner, queue)
      }
    },
  }
}
