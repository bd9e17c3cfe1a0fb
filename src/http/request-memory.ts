import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { Config } from '../config/config.ts'
import { heapShare } from '../config/heap-share.ts'
import { networkOf } from '../lib/address-network.ts'
import { heapIsNearlyFull } from '../lib/heap-pressure.ts'
import { connectionOf, setMemory } from './connection.ts'
import { READ_TIMEOUT_MS } from './http-limits.ts'
import { type Allocation, allUsed, createMemoryBudget } from './memory-budget.ts'

/** The memory of requests, in bytes. */
export function requestBytes(config: Pick<Config, 'maxHeapMb'>) {
  return {
    /** Shared by all organizations. */
    withKey: heapShare(config, 1 / 4),
    /** Shared by all addresses without a valid key, so that strangers cannot use the memory of organizations. */
    withoutKey: heapShare(config, 1 / 32),
    /** Of the operations that are large and run at a time. They can take several times their size. */
    ofLargeOperations: heapShare(config, 1 / 16),
  }
}

/** The least that a request counts, for its headers and objects. */
export const LEAST_BYTES = 16 * 1024

/** The owner of all operations without a valid key, so that many addresses together run one at a time. */
const KEYLESS = 'keyless'

/** Makes `connectionOf` return the memory of the request, and releases the memory once the client has the response. */
export function countMemory(
  config: Pick<Config, 'maxHeapMb'>,
  { readTimeoutMs = READ_TIMEOUT_MS } = {},
): MiddlewareHandler {
  const bytes = requestBytes(config)
  const withKey = createMemoryBudget(bytes.withKey)
  const withoutKey = createMemoryBudget(bytes.withoutKey)
  const queue = createOperationQueue(bytes.ofLargeOperations)
  return async (context, next) => {
    let owner: string | null = null
    let isKeyless = true
    let allocation: Allocation | null = null
    let parts = { body: 0, response: 0 }
    const queued: { leave?: () => void } = {}
    setMemory(context, {
      countFor(caller) {
        if (owner !== null) return
        isKeyless = caller === null
        owner = caller ?? networkOf(connectionOf(context).address ?? '')
        if (heapIsNearlyFull()) throw allUsed()
        allocation = (caller === null ? withoutKey : withKey).open(owner)
        allocation.resize(LEAST_BYTES)
      },
      resize(part, bytes) {
        const next = { ...parts, [part]: bytes }
        allocation?.resize(LEAST_BYTES + next.body + next.response)
        parts = next
      },
      async waitToRun(responseBytes) {
        if (owner === null || queued.leave) return
        queued.leave = await queue.enter(isKeyless ? KEYLESS : owner, parts.body + responseBytes)
      },
    })
    const release = () => {
      allocation?.force(0)
      // The handler of a stream may still be running.
      allocation = null
    }
    try {
      await next()
    } finally {
      queued.leave?.()
      const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
      if (!outgoing || outgoing.closed) release()
      else if (allocation !== null) {
        outgoing.once('close', release)
        setImmediate(() => {
          // A stream keeps its memory until it ends. Of any other response, only the bytes that are still here count.
          if (!outgoing.writableEnded) return
          allocation?.force(outgoing.writableLength)
          if (outgoing.writableLength === 0) return
          const timer = setTimeout(() => outgoing.destroy(), readTimeoutMs)
          outgoing.once('close', () => clearTimeout(timer))
        })
      }
    }
  }
}

/** The operations of one owner that run at a time have at most this size together. A larger one runs alone. */
export const RUNS_ALONE_BYTES = 512 * 1024

/** How long the place of such an operation stays empty, so that others are served. A smaller one has a part of this pause. */
const PAUSE_MS = 20

/** Lets the operations of each owner run in the order in which they came. */
interface OperationQueue {
  /** Resolves when the operation may run. Call the function that it resolves to at the end. */
  enter(owner: string, size: number): Promise<() => void>
}

interface Queue {
  runningBytes: number
  readonly waiting: { readonly bytes: number; readonly start: (leave: () => void) => void }[]
}

/** Large operations of all owners have at most `maxLargeBytes` together, unless one alone is larger. */
function createOperationQueue(maxLargeBytes: number): OperationQueue {
  /** The owner whose operation ended last is the last one. */
  const queues = new Map<string, Queue>()
  let largeBytes = 0

  const sizeIfLarge = (bytes: number) => (bytes >= RUNS_ALONE_BYTES ? bytes : 0)

  function hasRoom({ runningBytes }: Queue, bytes: number): boolean {
    if (runningBytes > 0 && runningBytes + bytes > RUNS_ALONE_BYTES) return false
    const large = sizeIfLarge(bytes)
    return large === 0 || largeBytes === 0 || largeBytes + large <= maxLargeBytes
  }

  function startNext(owner: string, queue: Queue): void {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      const { bytes, start } = next
      if (!hasRoom(queue, bytes)) return
      queue.waiting.shift()
      queue.runningBytes += bytes
      largeBytes += sizeIfLarge(bytes)
      const pauseMs = PAUSE_MS * Math.min(1, bytes / RUNS_ALONE_BYTES)
      start(() =>
        setTimeout(() => {
          queue.runningBytes -= bytes
          largeBytes -= sizeIfLarge(bytes)
          queues.delete(owner)
          queues.set(owner, queue)
          if (sizeIfLarge(bytes) > 0) for (const [each, its] of [...queues]) startNext(each, its)
          else startNext(owner, queue)
        }, pauseMs),
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
