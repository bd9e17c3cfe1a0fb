import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { Config } from '../config/config.ts'
import { heapShare } from '../config/settings.ts'
import { FairQueue } from '../db/fair-queue.ts'
import { DomainError, rateLimited } from '../lib/errors.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { setInFlight } from './connection.ts'

/** The size of all requests of callers in flight: their bodies, their responses, and at least 16 KiB for each. */
export const bytesInFlight = (config: Pick<Config, 'maxHeapMb'>) => heapShare(config, 1 / 4)

const LEAST_BYTES = 16 * 1024

/** Operations of this size, by their body or by the estimate of their response, wait for their turn. */
export const LARGE_BYTES = 512 * 1024

/** One of each organization. They can take several times their size in memory. */
const LARGE_AT_A_TIME = 3

/** Makes `connectionOf` return the place of the request among those in flight, which ends once the client has the response. */
export function limitInFlight(config: Pick<Config, 'maxHeapMb'>): MiddlewareHandler {
  const all = new Bytes(bytesInFlight(config))
  const large = new FairQueue(LARGE_AT_A_TIME)
  return async (context, next) => {
    let owner: string | null = null
    const parts = { body: 0, response: 0 }
    let bytesHeld = 0
    let turn: string | null = null
    setInFlight(context, {
      admit(caller) {
        if (owner !== null) return
        all.add(caller, LEAST_BYTES)
        owner = caller
        bytesHeld = LEAST_BYTES
      },
      resize(part, bytes) {
        const more = bytes - parts[part]
        if (owner !== null) all.add(owner, more)
        parts[part] += more
        bytesHeld += more
      },
      async takeTurn(bytes) {
        if (owner === null || turn !== null || bytes < LARGE_BYTES) return
        turn = owner
        await large.acquire(turn)
      },
    })
    const keep = (bytes: number) => {
      if (owner !== null) all.force(owner, bytes - bytesHeld)
      bytesHeld = bytes
    }
    const end = () => {
      keep(0)
      // The handler of a stream may still be running.
      owner = null
    }
    try {
      await next()
    } finally {
      // Others are served between two of them.
      if (turn !== null) setImmediate((owner) => large.release(owner), turn)
      const { outgoing } = (context.env ?? {}) as Partial<HttpBindings>
      if (!outgoing || outgoing.closed) end()
      else if (owner !== null) {
        outgoing.once('close', end)
        setImmediate(() => {
          // A stream keeps its place until it ends. Of any other response, only the bytes that are still here count.
          if (outgoing.writableEnded) keep(outgoing.writableLength)
        })
      }
    }
  }
}

/** Of the bytes that are free, an owner may use a third, so that there are always some left for the next one. */
class Bytes {
  #free: number
  readonly #ofOwner = new Map<string, number>()

  constructor(total: number) {
    this.#free = total
  }

  /** Throws `rate_limited` or `unavailable` if there is no room. */
  add(owner: string, bytes: number): void {
    const used = this.#ofOwner.get(owner) ?? 0
    const hasRoom = bytes <= 0 || (used + bytes) * 3 <= this.#free - bytes
    if (!hasRoom) throw used > 0 ? tooManyOfOwner() : tooMany()
    this.force(owner, bytes)
  }

  /** The same, even if there is no room. */
  force(owner: string, bytes: number): void {
    this.#free -= bytes
    const used = (this.#ofOwner.get(owner) ?? 0) + bytes
    if (used === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, used)
  }
}

const RETRY_AFTER_SECONDS = 1

function tooManyOfOwner(): DomainError {
  describeRequest({ limit: 'in_flight_of_owner' })
  return rateLimited(
    'Your requests in progress and the responses that you have not read take too much memory. Nothing was done. Try again in a second, with fewer requests at a time.',
    RETRY_AFTER_SECONDS,
  )
}

function tooMany(): DomainError {
  describeRequest({ limit: 'in_flight' })
  return new DomainError(
    'unavailable',
    'Posthorn has too many large requests in progress. Nothing was done. Try again in a second.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}
