import type { Job, WorkerEvents } from 'graphile-worker'
import { payloadWith } from '../deliveries/at-hand.ts'
import type { TakenDelivery } from '../queue/hand-over.ts'
import { createIsBusy } from './is-busy.ts'

/** What graphile-worker keeps of the jobs it has fetched, and of its workers that wait for some. */
interface LocalQueue {
  readonly mode: string
  readonly workerQueue: readonly unknown[]
  /** Gives jobs to workers that wait. It calls this private. */
  receivedJobs(jobs: readonly Job[]): void
}

/** Begins with jobs that were taken as they were made. */
export interface BeginTaken {
  /** How many jobs could begin at once. */
  room(): number
  /** Answers those for which nobody waits any more. */
  begin(deliveries: readonly TakenDelivery[], asOf: number): readonly TakenDelivery[]
}

/**
 * They go to the workers that wait for what is fetched next. `spare` workers are left to that, so that what this process
 * publishes does not take all places from what others do. Where this process has no time left there is no room, as
 * another one may have some.
 */
export function createBeginTaken(events: WorkerEvents, spare: number): BeginTaken {
  const isBusy = createIsBusy()
  let queue: LocalQueue | null = null
  events.on('localQueue:init', ({ localQueue }) => {
    queue = localQueue as unknown as LocalQueue
  })
  const waiting = () => (queue?.mode === 'POLLING' ? queue.workerQueue.length : 0)
  return {
    room: () => (isBusy() ? 0 : waiting() - spare),
    begin(deliveries, asOf) {
      const count = waiting()
      const jobs = deliveries.slice(0, count).map((delivery) => toJob(delivery, asOf))
      if (jobs.length > 0) queue?.receivedJobs(jobs)
      return deliveries.slice(count)
    },
  }
}

/** What graphile-worker and the tasks look at. */
function toJob(delivery: TakenDelivery, asOf: number): Job {
  const job = {
    id: delivery.jobId,
    task_identifier: 'deliver',
    job_queue_id: null,
    payload: payloadWith(delivery, asOf),
    attempts: 1,
    max_attempts: MAX_ATTEMPTS,
  }
  return job as unknown as Job
}

/** Of a job that does not say otherwise, in graphile-worker. */
const MAX_ATTEMPTS = 25
