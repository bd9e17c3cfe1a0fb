import type { Settings } from '../config/settings.ts'
import { rateLimited } from '../lib/errors.ts'
import type { HttpRequest, HttpSender } from '../outbound/http-sender.ts'
import type { Ended } from '../outbound/outcome.ts'
import { createKeyedLimiter } from '../rate-limit/keyed-limiter.ts'

/** Sends requests that callers ask for one by one. Its connections are not those of deliveries. */
export interface LimitedSender extends AsyncDisposable {
  /** Throws `rate_limited` after too many requests of the organization, and the reason of the signal of the request. */
  send(request: HttpRequest): Promise<Ended>
}

interface Limit {
  /** Requests of each organization per minute, in each process. */
  readonly perMinute: number
  /** What the requests are, in the plural. */
  readonly things: string
}

/** A person or a program waits for the answer. */
export const ANSWER_TIMEOUT_MS = 10_000

/** It opens its sender for the first request. */
export function createLimitedSender(
  settings: Settings,
  { perMinute, things }: Limit,
): LimitedSender {
  const limiter = createKeyedLimiter(perMinute)
  let opening: Promise<HttpSender> | null = null

  /** Most processes send none, and a process of the API alone does without undici. */
  async function open(): Promise<HttpSender> {
    const { openSender } = await import('./open-sender.ts')
    return await openSender(settings, {
      acknowledgeTimeoutMs: ANSWER_TIMEOUT_MS,
      connectionsPerOrigin: perMinute,
    })
  }

  return {
    async send(request) {
      const waitSeconds = limiter.count(request.organizationId)
      if (waitSeconds > 0) {
        throw rateLimited(
          `The organization has sent ${perMinute} ${things} in a minute. Try again in ${waitSeconds} s.`,
          waitSeconds,
        )
      }
      opening ??= open()
      const outcome = await (await opening).send(request)
      if (outcome.kind === 'aborted') {
        throw request.signal?.aborted ? request.signal.reason : new Error('Posthorn is stopping.')
      }
      if (outcome.kind === 'busy') throw new Error(`There are more ${things} than connections.`)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.close()
    },
  }
}
