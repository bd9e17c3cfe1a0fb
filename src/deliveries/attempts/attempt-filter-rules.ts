import { z } from 'zod'
import { MIN_SLOW_MS } from './attempt-filter.ts'

const MAX_CAUSES = 20

/** Every cause is one range of an index. */
export const causesRule = z
  .array(
    z.string().regex(/^[0-9a-z_]{1,64}$/, 'must be an HTTP status or an error code, such as "502"'),
  )
  .min(1, 'must not be empty; omit it to match all')
  .max(MAX_CAUSES, `must have at most ${MAX_CAUSES} entries`)
  .nullish()

/** Faster attempts are in no index of durations. */
export const minDurationRule = z
  .int()
  .min(MIN_SLOW_MS, `must be at least ${MIN_SLOW_MS.toLocaleString('en')}`)
  .nullish()
