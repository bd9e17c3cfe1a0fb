import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { networkOf } from '../lib/address-network.ts'
import { connectionOf, setMemory } from './connection.ts'
import { READ_TIMEOUT_MS } from './http-limits.ts'
import { type Allocation, createMemoryBudget } from './memory-budget.ts'

/** Shared by all organizations. */
export const BYTES_WITH_KEY = 128 * 1024 * 1024

/** Shared by all addresses without a valid key, so that strangers cannot use the memory of organizations. */
export const BYTES_WITHOUT_KEY = 16 * 1024 * 1024

/** The least that a request counts, for its headers and objects. */
export const LEAST_BYTES = 16 * 1024

/** The owner of all operations without a valid key, so that many addresses together run one at a time. */
const KEYLESS = 'keyless'

/** Makes `connectionOf` return the memory of the request, and releases the memory once the client has the response. */
export function countMemory({ readTimeoutMs = READ_TIMEOUT_MS } = {}): MiddlewareHandler {
  const withKey = createMemoryBudget(BYTES_WITH_KEY)
  const withoutKey = createMemoryBudget(BYTES_WITHOUT_KEY)
  const queue = createOperationQueue()
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

function createOperationQueue(): OperationQueue {
  const queues = new Map<string, Queue>()

  function startNext(owner: string, queue: Queue): void {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      const { bytes, start } = next
      if (queue.runningBytes > 0 && queue.runningBytes + bytes > RUNS_ALONE_BYTES) return
      queue.waiting.shift()
      queue.runningBytes += bytes
      const pauseMs = PAUSE_MS * Math.min(1, bytes / RUNS_ALONE_BYTES)
      start(() =>
        setTimeout(() => {
          queue.runningBytes -= bytes
          startNext(owner, queue)
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
