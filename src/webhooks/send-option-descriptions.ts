import { MAX_RETRIES, MAX_RETRY_DELAY_SECONDS } from './send-option-fields.ts'

/** The descriptions of the delivery options, shared by the types that read and set them. */
export const SEND_OPTION_DESCRIPTIONS = {
  rateLimitPerSecond:
    'The rate limit: the maximum number of attempts per second, across all processes: 1 to 10,000. Deliveries over the limit wait. Null, the default: no limit.',
  maxInFlight:
    'The concurrency limit: the maximum number of attempts in flight per worker: 1 to 200. Null, the default: an adaptive limit. It starts at 20, grows while the endpoint keeps up, and is halved when the endpoint is overloaded.',
  retryScheduleSeconds: `The delay before each retry, in seconds: at most ${MAX_RETRIES} delays of 1 to ${MAX_RETRY_DELAY_SECONDS.toLocaleString('en')} (one day). Jitter adds up to 10%, and a \`Retry-After\` header can delay a retry by up to one day. An empty list: no retries. Null, the default: POSTHORN_RETRY_SCHEDULE (default: 9 retries over 75 to 83 hours). A change applies from the next failed attempt; scheduled retries keep their time.`,
  timeoutSeconds:
    'The response timeout: the maximum time from a ready connection to the status and headers of the response, in seconds: 1 to 30. Null, the default: POSTHORN_ATTEMPT_TIMEOUT (default: 15).',
  ordered:
    'Whether deliveries are sent one at a time, in the order of the events. Default: false. Throughput is then one attempt at a time (10 per second at 100 ms each), and a failing delivery blocks all later ones until it succeeds or is exhausted: 75 to 83 hours with the default retry schedule. A short `retryScheduleSeconds` limits that.',
  headerPrefix:
    'The prefix of the headers `id`, `timestamp` and `signature` of each delivery: `wh-`, `webhook-` or `svix-`, so that receivers of another sender verify deliveries as they are. The values stay the same. Null, the default: POSTHORN_HEADER_PREFIX (default: `wh-`).',
} as const

export const VERIFY_ENDPOINT =
  'Whether a URL is only used once its endpoint has answered a challenge: a signed POST of `{"type": "verification", "challenge": "…"}` that is answered with 2xx and `{"challenge": "…"}` within 10 s. Then each new URL needs a new challenge, whichever interface sets it. Default: false.'
