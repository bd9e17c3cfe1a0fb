import type { ChildProcess } from 'node:child_process'
import { on } from 'node:events'

export const ALLOCATED = 'posthorn.bench.allocated'
export const TAKE_ALLOCATED = 'posthorn.bench.take-allocated'

/** What a thread has allocated in its heap since it was last asked. */
export interface Allocated {
  readonly thread: string | null
  readonly bytes: number
}

/** The arguments of Node for a process that is asked. It needs an IPC channel. */
export const COUNT_ALLOCATIONS = [
  '--import',
  new URL('count-allocations.ts', import.meta.url).href,
] as const

/** Asks the threads of a process for the bytes that they have allocated since the last call, or since they started. */
export async function takeAllocated<Thread extends string>(
  child: ChildProcess,
  threads: readonly Thread[],
): Promise<Record<Thread, number>> {
  const answers: Record<string, number> = {}
  const messages = on(child, 'message')
  child.send(TAKE_ALLOCATED)
  for await (const [{ thread, bytes }] of messages) {
    answers[thread] = bytes
    if (threads.every((name) => answers[name] !== undefined)) break
  }
  return answers as Record<Thread, number>
}
