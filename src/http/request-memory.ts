import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { networkOf } from '../lib/address-network.ts'
import { connectionOf, setMemory } from './connection.ts'
import { READ_TIMEOUT_MS } from './http-limits.ts'
import { type Allocation, createMemoryBudget } from './memory-budget.ts'
import { createTurns } from './turns.ts'

/** Shared by all organizations. */
export const BYTES_WITH_KEY = 128 * 1024 * 1024

/** Shared by all addresses without a valid key, so that strangers cannot use the memory of organizations. */
export const BYTES_WITHOUT_KEY = 16 * 1024 * 1024

/** The least that a request counts, for its headers and objects. */
export const LEAST_BYTES = 16 * 1024

/** While others are active, few operations of an organization run between those of others. */
const TURN_LIMITS = {
  aloneBytes: 2 * 1024 * 1024,
  sharedBytes: 512 * 1024,
  largeBytes: 128 * 1024,
  activeMs: 1_000,
}

/** So large queries of an organization get a quarter of the time. Each keeps the process busy for tens of milliseconds. */
const PAUSES_AFTER_READING = 3

/** So large batches get half of the time. They are checked and stored in short steps. */
const PAUSES_AFTER_WRITING = 1

/** Makes `connectionOf` return the memory of the request, and releases the memory once the client has the response. */
export function countMemory({ readTimeoutMs = READ_TIMEOUT_MS } = {}): MiddlewareHandler {
  const withKey = createMemoryBudget(BYTES_WITH_KEY)
  const withoutKey = createMemoryBudget(BYTES_WITHOUT_KEY)
  const turns = createTurns(TURN_LIMITS)
  return async (context, next) => {
    let owner: string | null = null
    let allocation: Allocation | null = null
    let parts = { body: 0, response: 0 }
    let endTurn = () => {}
    setMemory(context, {
      countFor(caller) {
        if (owner !== null) return
        owner = caller ?? networkOf(connectionOf(context).address ?? '')
        allocation = (caller === null ? withoutKey : withKey).open(owner)
        turns.note(owner)
        allocation.resize(LEAST_BYTES)
      },
      resize(part, bytes) {
        const next = { ...parts, [part]: bytes }
        allocation?.resize(LEAST_BYTES + next.body + next.response)
        parts = next
      },
      async waitForTurn() {
        const bytes = LEAST_BYTES + parts.body + parts.response
        const pauses = parts.response > parts.body ? PAUSES_AFTER_READING : PAUSES_AFTER_WRITING
        if (owner !== null) endTurn = await turns.take(owner, bytes, pauses)
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
      endTurn()
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
