import { MAX_RETRIES, MAX_RETRY_DELAY_SECONDS } from './send-option-fields.ts'

/** The GraphQL descriptions of the send options, for reading and for setting them. */
export const SEND_OPTION_DESCRIPTIONS = {
  rateLimitPerSecond:
    'The maximum number of attempts per second, over all processes: 1 to 10,000. Deliveries above the limit wait in the backlog. Null, the default: no limit.',
  maxInFlight:
    'The maximum number of attempts in flight in each worker: 1 to 200. Null, the default: the limit adapts. It starts at 20, grows while the endpoint keeps up, and is halved when the endpoint is overloaded.',
  retryScheduleSeconds: `The delays after each failed attempt, in seconds: at most ${MAX_RETRIES} delays, each from 1 to ${MAX_RETRY_DELAY_SECONDS.toLocaleString('en')} (a day). Jitter adds up to 10 %, and a \`Retry-After\` can delay an attempt by up to a day. An empty list: no retries. Null, the default: POSTHORN_RETRY_SCHEDULE, by default 9 retries over 75 to 83 hours. A change applies from the next failed attempt on. Scheduled retries keep their time.`,
  timeoutSeconds:
    'The longest time from the end of the request to the start of the response, in seconds: 1 to 30. Null, the default: POSTHORN_ATTEMPT_TIMEOUT, by default 15.',
  ordered:
    'Whether deliveries are sent one at a time, in the order of the events. Default: false. At most one attempt is in flight, so the throughput is 1 divided by the duration of an attempt (10 per second at 100 ms). A failing delivery blocks all later ones until it succeeds or its retry schedule is exhausted, by default for 75 to 83 hours. A short `retryScheduleSeconds` limits that time.',
} as const
