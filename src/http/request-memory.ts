import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { networkOf } from '../lib/address-network.ts'
import { connectionOf, setMemory } from './connection.ts'
import { type Allocation, createMemoryBudget } from './memory-budget.ts'

/** Shared by all organizations. */
export const BYTES_WITH_KEY = 128 * 1024 * 1024

/** Shared by all addresses without a valid key, so that strangers cannot use the memory of organizations. */
export const BYTES_WITHOUT_KEY = 16 * 1024 * 1024

/** The least that a request counts, for its headers and objects. */
export const LEAST_BYTES = 16 * 1024

/** Makes `connectionOf` return the memory of the request, and releases the memory once the client has the response. */
export function countMemory(): MiddlewareHandler {
  const withKey = createMemoryBudget(BYTES_WITH_KEY)
  const withoutKey = createMemoryBudget(BYTES_WITHOUT_KEY)
  return async (context, next) => {
    let allocation: Allocation | null = null
    let parts = { body: 0, response: 0 }
    setMemory(context, {
      countFor(organizationId) {
        const network = networkOf(connectionOf(context).address ?? '')
        allocation ??=
          organizationId === null ? withoutKey.open(network) : withKey.open(organizationId)
        allocation.resize(LEAST_BYTES)
      },
      resize(part, bytes) {
        const next = { ...parts, [part]: bytes }
        allocation?.resize(LEAST_BYTES + next.body + next.response)
        parts = next
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
      const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
      if (!outgoing || outgoing.closed) release()
      else if (allocation !== null) {
        outgoing.once('close', release)
        // A stream keeps its memory until it ends. Of any other response, only the bytes that are still here count.
        setImmediate(() => {
          if (outgoing.writableEnded) allocation?.force(outgoing.writableLength)
        })
      }
    }
  }
}
