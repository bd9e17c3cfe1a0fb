import type { WorkerEvents } from 'graphile-worker'

/** What a runner knows of its claims. */
export interface Claims {
  /** The ids of the jobs that it claimed and has neither ended nor returned. */
  readonly held: ReadonlySet<string>
  /** Whether Postgres ever answered it. */
  readonly hasClaimed: boolean
  /** To be called once a heartbeat: answers how many there were since it last claimed, while it should be claiming. */
  countBeat(): number
}

export function trackClaims(events: WorkerEvents): Claims {
  const held = new Set<string>()
  let isPolling = false
  let beats = 0
  let hasClaimed = false
  events.on('localQueue:setMode', ({ newMode }) => {
    isPolling = newMode === 'POLLING'
    beats = 0
  })
  events.on('localQueue:getJobs:complete', ({ jobs }) => {
    beats = 0
    hasClaimed = true
    for (const { id } of jobs) held.add(id)
  })
  events.on('localQueue:returnJobs', ({ jobs }) => {
    for (const { id } of jobs) held.delete(id)
  })
  events.on('job:complete', ({ job }) => held.delete(job.id))
  return {
    held,
    get hasClaimed() {
      return hasClaimed
    },
    countBeat() {
      if (isPolling) beats += 1
      return beats
    },
  }
}
