import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createKeyedLimiter } from '../auth/access/rate-limit.ts'
import type { Settings } from '../config/settings.ts'
import { rateLimited } from '../lib/errors.ts'
import type { HttpSender } from '../outbound/http-sender.ts'
import type { Ended } from '../outbound/outcome.ts'
import type { Challenge, SendChallenge, UnverifiedReason } from '../webhooks/challenge.ts'
import { signRequest } from './attempts/make-attempt.ts'

/**
 * Challenges of each organization per minute, in each process. A caller chooses the URLs, so that without a limit Posthorn
 * would knock at any door for them.
 */
export const MAX_CHALLENGES_PER_MINUTE = 30

/** A person or a program waits for the answer. */
const ANSWER_TIMEOUT_MS = 10_000

export interface ChallengeSender extends AsyncDisposable {
  readonly sendChallenge: SendChallenge
}

/**
 * Sends challenges as deliveries are sent: through the address guard and the proxy, without following redirects. Its
 * connections are not those of deliveries.
 */
export function createChallengeSender(settings: Settings): ChallengeSender {
  const countChallenge = createKeyedLimiter(MAX_CHALLENGES_PER_MINUTE)
  let opening: Promise<HttpSender> | null = null
  const { headerPrefix } = settings.config

  /** Most processes send none, and a process of the API alone does without undici. */
  async function open(): Promise<HttpSender> {
    const { openSender } = await import('./open-sender.ts')
    return await openSender(settings, {
      acknowledgeTimeoutMs: ANSWER_TIMEOUT_MS,
    })
  }

  async function sendChallenge(organizationId: string, challenge: Challenge) {
    const waitSeconds = countChallenge(organizationId)
    if (waitSeconds > 0) {
      throw rateLimited(
        `The organization has sent ${MAX_CHALLENGES_PER_MINUTE} challenges in a minute. Try again in ${waitSeconds} s.`,
        waitSeconds,
      )
    }
    const token = randomBytes(32).toString('base64url')
    // Of the whole exchange: the sender has a limit for each part.
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    const request = { organizationId, ...requestOf(headerPrefix, challenge, token), signal }
    opening ??= open()
    const outcome = await (await opening).send(request)
    if (outcome.kind === 'aborted') {
      if (signal.aborted) return 'timed_out'
      throw new Error('Posthorn is stopping.')
    }
    return reasonOf(outcome, token)
  }

  return {
    sendChallenge,
    async [Symbol.asyncDispose]() {
      await (await opening)?.close()
    },
  }
}

function requestOf(
  installationPrefix: string,
  { url, headers: customHeaders, signingKey, headerPrefix }: Challenge,
  token: string,
) {
  const body = Buffer.from(JSON.stringify({ type: 'verification', challenge: token }))
  const { headers } = signRequest(installationPrefix, signingKey, {
    trace: { traceParent: null, traceState: null },
    isTest: false,
    messageId: `msg_verification_${randomBytes(16).toString('hex')}`,
    body,
    customHeaders,
    headerPrefix: headerPrefix ?? installationPrefix,
    startedAt: new Date(),
  })
  return { url, headers, body }
}

/** Null: the endpoint answered with the challenge. */
function reasonOf(outcome: Ended, token: string): UnverifiedReason | null {
  if (outcome.kind === 'failed') return reasonOfFailure(outcome.code)
  const { status, body } = outcome
  if (status >= 500) return 'http_5xx'
  if (status >= 400) return 'http_4xx'
  if (status >= 300) return 'http_3xx'
  return status >= 200 && isAnswer(body, token) ? null : 'challenge_failed'
}

function reasonOfFailure(code: string): UnverifiedReason {
  if (/^(address_not_public|not_https|url_not_allowed)/.test(code)) return 'address_refused'
  if (/timed_out$/.test(code)) return 'timed_out'
  if (code === 'name_not_found' || code === 'name_lookup_failed') return 'name_not_found'
  if (/^(certificate_|tls_|no_tls|client_certificate)/.test(code)) return 'tls_failed'
  return 'connection_failed'
}

function isAnswer(body: Buffer, token: string): boolean {
  const answer = readChallenge(body)
  if (typeof answer !== 'string') return false
  const [given, expected] = [Buffer.from(answer), Buffer.from(token)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function readChallenge(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString())
    return Object(value).challenge
  } catch {
    return null
  }
}
