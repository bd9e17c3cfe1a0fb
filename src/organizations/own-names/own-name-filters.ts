import { z } from 'zod'
import { MAX_CHOICES } from '../../graphql/arguments.ts'
import { builder } from '../../graphql/builder.ts'
import type { InputFields } from '../../graphql/mutation.ts'

/** No label has such a key, and a line break would end the key before its hash is made. */
const key = z.string().refine((given) => !/\p{Cc}/u.test(given), 'must not have control characters')

const rule = z
  .array(z.object({ key, value: z.string() }))
  .min(1, 'must not be empty; omit it to match all')
  .max(MAX_CHOICES, `must have at most ${MAX_CHOICES} entries`)
  .nullish()

const MetadataEntry = builder.inputType('MetadataEntry', {
  description: 'A label of `metadata`.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key.' }),
    value: t.string({ required: true, description: 'The whole value.' }),
  }),
})

/** The fields of a filter by own names. */
export const ownNameFilters = (t: InputFields, noun: 'organization' | 'webhook') => ({
  uid: t.string({ description: `The ${noun} with this uid.` }),
  metadata: t.field({
    type: [MetadataEntry],
    description: `Selects each ${noun} whose metadata has all of these labels: at most ${MAX_CHOICES}.`,
    validate: rule,
  }),
})
