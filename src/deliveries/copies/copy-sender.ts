import type { Settings } from '../../config/settings.ts'
import { rateLimited } from '../../lib/errors.ts'
import type { HttpRequest, HttpSender } from '../../outbound/http-sender.ts'
import type { Ended } from '../../outbound/outcome.ts'
import { createKeyedLimiter } from '../../rate-limit/keyed-limiter.ts'

/** Sends copies of deliveries. Its connections are not those of deliveries. */
export interface CopySender extends AsyncDisposable {
  /** Throws `rate_limited` after too many copies of the organization. */
  send(request: HttpRequest): Promise<Ended>
}

/** Copies of each organization per minute, in each process. */
export const MAX_COPIES_PER_MINUTE = 10

/** A person waits for the answer. */
const ANSWER_TIMEOUT_MS = 10_000

/** It opens its sender for the first copy. */
export function createCopySender(settings: Settings): CopySender {
  const limiter = createKeyedLimiter(MAX_COPIES_PER_MINUTE)
  let opening: Promise<HttpSender> | null = null

  /** Most processes send no copy, and a process of the API alone does without undici. */
  async function open(): Promise<HttpSender> {
    const { openSender } = await import('../open-sender.ts')
    return await openSender(settings, {
      acknowledgeTimeoutMs: ANSWER_TIMEOUT_MS,
      connectionsPerOrigin: MAX_COPIES_PER_MINUTE,
    })
  }

  return {
    async send(request) {
      const waitSeconds = limiter.count(request.organizationId)
      if (waitSeconds > 0) {
        throw rateLimited(
          `The organization has sent ${MAX_COPIES_PER_MINUTE} copies in a minute. Try again in ${waitSeconds} s.`,
          waitSeconds,
        )
      }
      opening ??= open()
      const outcome = await (await opening).send(request)
      if (outcome.kind === 'aborted') throw new Error('Posthorn is stopping.')
      if (outcome.kind === 'busy') throw new Error('There are more copies than connections.')
      return outcome
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.close()
    },
  }
}
