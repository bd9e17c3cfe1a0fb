import { z } from 'zod'

/** With `webhook-` and `svix-`, the libraries of Standard Webhooks and Svix verify deliveries. */
const HEADER_PREFIXES = ['wh-', 'webhook-', 'svix-'] as const

/**
 * The send options of a webhook with their rules. Null is the default. Only GraphQL sets them; the REST contract has no
 * such fields.
 */
export const sendOptionFields = {
  rateLimitPerSecond: wholeNumber(1, 10_000, 'give null for no limit').nullable(),
  maxInFlight: wholeNumber(1, 200, 'give null for the default').nullable(),
  retryScheduleSeconds: z
    .array(z.number('must be a number of seconds'), 'must be an array of delays in seconds')
    .superRefine(checkRetrySchedule)
    .nullable(),
  timeoutSeconds: wholeNumber(1, 30, 'give null for the default').nullable(),
  ordered: z
    .boolean('must be true or false')
    .nullable()
    .transform((ordered) => ordered ?? false),
  headerPrefix: z.enum(HEADER_PREFIXES, `must be one of ${HEADER_PREFIXES.join(', ')}`).nullable(),
}

/** Delays of a retry schedule. With at most a day each, a schedule takes at most 20 days. */
export const MAX_RETRIES = 20

/** One day. */
export const MAX_RETRY_DELAY_SECONDS = 86_400

function wholeNumber(min: number, max: number, remedy: string) {
  const error = ({ input }: { readonly input?: unknown }) => outOfRange(min, max, input, remedy)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** Reports each invalid delay. For too many delays, reports only their number. */
function checkRetrySchedule(delays: readonly number[], context: z.RefinementCtx<unknown>): void {
  if (delays.length > MAX_RETRIES) {
    const message = `must have at most ${MAX_RETRIES} delays, not ${delays.length}; give fewer, longer delays`
    context.addIssue({ code: 'custom', path: [], params: { code: 'too_many' }, message })
    return
  }
  for (const [index, delay] of delays.entries()) {
    if (Number.isInteger(delay) && delay >= 1 && delay <= MAX_RETRY_DELAY_SECONDS) continue
    context.addIssue({
      code: 'custom',
      path: [index],
      params: { code: delay > MAX_RETRY_DELAY_SECONDS ? 'too_big' : 'too_small' },
      message: outOfRange(
        1,
        MAX_RETRY_DELAY_SECONDS,
        delay,
        'give seconds, or an empty list for no retries',
      ),
    })
  }
}

function outOfRange(min: number, max: number, value: unknown, remedy: string): string {
  const [from, to] = [min, max].map((bound) => bound.toLocaleString('en'))
  return `must be a whole number from ${from} to ${to}, not ${JSON.stringify(value)}; ${remedy}`
}
