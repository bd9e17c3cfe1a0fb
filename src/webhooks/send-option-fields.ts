import { z } from 'zod'

/**
 * How to send to a webhook: the options a caller may set over GraphQL, each with its rule. (REST knows none of
 * them.) Null is the default.
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
}

/** The most delays of a retry schedule. As each is a day at most, the whole of it is 20 days at most. */
export const MAX_RETRIES = 20

/** A day. */
export const MAX_RETRY_DELAY_SECONDS = 86_400

function wholeNumber(min: number, max: number, remedy: string) {
  const error = ({ input }: { readonly input?: unknown }) => outOfRange(min, max, input, remedy)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** Reports each delay that breaks the rule, or only that there are too many of them to look at. */
function checkRetrySchedule(delays: readonly number[], context: z.RefinementCtx<unknown>): void {
  if (delays.length > MAX_RETRIES) {
    const message = `must have at most ${MAX_RETRIES} delays, not ${delays.length}; give fewer and longer ones`
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
        'give seconds, or no delays at all for no retries',
      ),
    })
  }
}

function outOfRange(min: number, max: number, value: unknown, remedy: string): string {
  const [from, to] = [min, max].map((bound) => bound.toLocaleString('en'))
  return `must be a whole number from ${from} to ${to}, not ${JSON.stringify(value)}; ${remedy}`
}
