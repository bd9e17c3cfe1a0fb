import type { WorkerEvents } from 'graphile-worker'

/** The jobs that one runner has claimed. */
export interface Claims {
  /** The ids of the claimed jobs that are neither finished nor unclaimed. */
  readonly jobIds: ReadonlySet<string>
  /** Whether Postgres has answered a claim, with or without jobs. */
  readonly hasClaimed: boolean
  /** Call once per heartbeat. Returns the number of heartbeats since the last claim; 0 while the runner does not poll. */
  countHeartbeat(): number
}

export function trackClaims(events: WorkerEvents): Claims {
  const jobIds = new Set<string>()
  let isPolling = false
  let heartbeats = 0
  let hasClaimed = false
  events.on('localQueue:setMode', ({ newMode }) => {
    isPolling = newMode === 'POLLING'
    heartbeats = 0
  })
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    heartbeats = 0
    hasClaimed = true
    for (const { id } of jobs) jobIds.add(id)
  })
  events.on('localQueue:returnJobs', ({ jobs }) => {
    for (const { id } of jobs) jobIds.delete(id)
  })
  events.on('job:complete', ({ job }) => jobIds.delete(job.id))
  return {
    jobIds,
    get hasClaimed() {
      return hasClaimed
    },
    countHeartbeat() {
      if (isPolling) heartbeats += 1
      return heartbeats
    },
  }
}
