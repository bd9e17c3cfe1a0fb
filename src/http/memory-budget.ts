import { DomainError, rateLimited } from '../lib/errors.ts'
import { describeRequest } from '../telemetry/request-log.ts'

/** A number of bytes that requests share. */
export interface MemoryBudget {
  /** Opens an empty allocation for one request of an owner, who may have many. */
  open(owner: string): Allocation
}

export interface Allocation {
  /** Changes the size. Throws `rate_limited` or `unavailable` if there is no room. */
  resize(bytes: number): void
  /** Changes the size to that of memory in use, even if there is no room. */
  force(bytes: number): void
}

const FREE_PER_USED = 3

/**
 * An owner may use a third of the bytes that are free. So one owner gets a quarter of the budget, another one a quarter of
 * the rest, and there is always a part left for the next.
 */
export function createMemoryBudget(total: number): MemoryBudget {
  const usedByOwner = new Map<string, number>()
  let used = 0

  function add(owner: string, bytes: number): void {
    used += bytes
    const ofOwner = (usedByOwner.get(owner) ?? 0) + bytes
    if (ofOwner === 0) usedByOwner.delete(owner)
    else usedByOwner.set(owner, ofOwner)
  }

  function requireRoom(owner: string, bytes: number): void {
    const ofOwner = usedByOwner.get(owner) ?? 0
    const free = total - used
    if ((ofOwner + bytes) * FREE_PER_USED <= free - bytes) return
    throw ofOwner > 0 ? shareUsed() : allUsed()
  }

  return {
    open(owner) {
      let size = 0
      const force = (bytes: number) => {
        add(owner, bytes - size)
        size = bytes
      }
      return {
        resize(bytes) {
          if (bytes > size) requireRoom(owner, bytes - size)
          force(bytes)
        },
        force,
      }
    },
  }
}

const RETRY_AFTER_SECONDS = 1

function shareUsed(): DomainError {
  describeRequest({ limit: 'memory_of_owner' })
  return rateLimited(
    'Your requests in progress and the responses that you have not read take too much memory. Nothing was done. Try again in a second, with fewer requests at a time.',
    RETRY_AFTER_SECONDS,
  )
}

export function allUsed(): DomainError {
  describeRequest({ limit: 'memory' })
  return new DomainError(
    'unavailable',
    'Posthorn has too many large requests in progress. Nothing was done. Try again in a second.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
