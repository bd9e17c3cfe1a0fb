import { MAX_RETRIES, MAX_RETRY_DELAY_SECONDS } from './send-option-fields.ts'

/** What the options of sending mean, with units, bounds and defaults: the same where they are read and set. */
export const SEND_OPTION_DESCRIPTIONS = {
  rateLimitPerSecond:
    'How many attempts are made in a second at most, by all processes together: 1 to 10,000. What is over it waits its turn. Null, the default: as many as there are.',
  maxInFlight:
    'How many attempts may be in flight in each worker: 1 to 200. Null, the default: the limit adapts. It starts at 20, grows while the endpoint keeps up, and is halved when the endpoint is overloaded.',
  retryScheduleSeconds: `The delays after each failed attempt, in seconds: at most ${MAX_RETRIES}, each of 1 to ${MAX_RETRY_DELAY_SECONDS.toLocaleString('en')} (a day). Chance adds up to 10 %, and a \`Retry-After\` can put an attempt off by up to a day. An empty list: no retries. Null, the default: POSTHORN_RETRY_SCHEDULE, 9 retries over 75 to 83 hours unless set. A change acts from the next failed attempt on; what already waits keeps its time.`,
  timeoutSeconds:
    'How long the receiver may take from the end of the request to the beginning of its response, in seconds: 1 to 30. Null, the default: POSTHORN_ATTEMPT_TIMEOUT, 15 unless set.',
  ordered:
    'Whether deliveries are sent in the order of the events, each after the one before it has ended. Default: false. What it costs: there is never more than one attempt under way, so the throughput is 1 divided by the time of an attempt (10 a second at 100 ms); and a delivery that fails holds up all that come after it until it succeeds or its retry schedule is exhausted, with the default schedule for 75 to 83 hours. A short `retryScheduleSeconds` bounds that.',
} as const
