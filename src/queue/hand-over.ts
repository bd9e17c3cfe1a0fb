/** A delivery that was stored with its job taken, and what an attempt needs to know of it, as of then. */
export interface TakenDelivery {
  readonly jobId: string
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly revision: string
  readonly body: string
  readonly traceParent: string | null
}

/** Places with a worker of this process, for jobs that are stored as taken by its pool. To be used once, in one way. */
export interface Places {
  readonly poolId: string
  /** How many jobs may be stored as taken. */
  readonly count: number
  /** Begins with what was stored. `asOf`, of `performance.now()`: when it was not yet. */
  begin(deliveries: readonly TakenDelivery[], asOf: number): void
  /** Nothing was stored. */
  cancel(): void
  /** It is not known whether anything was stored. */
  lose(): void
}

/** A worker that can begin with jobs it has not fetched. */
export interface TakingWorker {
  readonly poolId: string
  /** How many more jobs it could begin at once. */
  room(): number
  begin(deliveries: readonly TakenDelivery[], asOf: number): void
  /** It may hold jobs that it will never be told of. */
  lose(): void
}

/** Where what stores deliveries meets the worker of its process. */
export interface HandOver {
  /** As many places as there are, at most so many; `null` where there are none. */
  reserve(atMost: number): Places | null
  /** From now on, places are with this worker; until it is disposed of, or another one attends. */
  attend(worker: TakingWorker): Disposable
}

export function createHandOver(): HandOver {
  let attending: TakingWorker | null = null
  let reserved = 0

  function reserveWith(worker: TakingWorker, count: number): Places {
    reserved += count
    const free = () => {
      reserved -= count
    }
    return {
      poolId: worker.poolId,
      count,
      begin(deliveries, asOf) {
        free()
        worker.begin(deliveries, asOf)
      },
      cancel: free,
      lose() {
        free()
        worker.lose()
      },
    }
  }

  return {
    reserve(atMost) {
      if (!attending) return null
      const count = Math.min(atMost, attending.room() - reserved)
      return count > 0 ? reserveWith(attending, count) : null
    },
    attend(worker) {
      attending = worker
      return {
        [Symbol.dispose]() {
          if (attending === worker) attending = null
        },
      }
    },
  }
}
