import { z } from 'zod'
import { MAX_CHOICES } from '../graphql/arguments.ts'

/** No label has such a key, and a line break would end the key before its hash is made. */
const key = z.string().refine((given) => !/\p{Cc}/u.test(given), 'must not have control characters')

/** The rule of a filter by labels. */
export const metadataFilterRule = z
  .array(z.object({ key, value: z.string() }))
  .min(1, 'must not be empty; omit it to match all')
  .max(MAX_CHOICES, `must have at most ${MAX_CHOICES} entries`)
  .nullish()
