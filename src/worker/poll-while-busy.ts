import type { WorkerEvents } from 'graphile-worker'

/** What graphile-worker fetches for all of its workers together. */
interface LocalQueue {
  pulse(count: number): void
}

/** How often what became due is looked for while jobs are run, and how many such looks follow the last of them. */
const LOOK_EVERY_MS = 100
const LAST_LOOKS = 10

/**
 * What was published is announced, but what becomes due is found by polling. Where nothing happens that is done seldom;
 * where much fails, retries would come in crowds, and all else would wait until they are through.
 */
export function pollWhileBusy(events: WorkerEvents): void {
  let queue: LocalQueue | null = null
  let timer: NodeJS.Timeout | null = null
  let looks = 0

  function look(): void {
    timer = null
    queue?.pulse(0)
    looks += 1
    if (looks < LAST_LOOKS) lookSoon()
  }

  function lookSoon(): void {
    if (timer === null) timer = setTimeout(look, LOOK_EVERY_MS).unref()
  }

  events.on('localQueue:init', ({ localQueue }) => {
    queue = localQueue
  })
  events.on('job:start', () => {
    looks = 0
    lookSoon()
  })
}
