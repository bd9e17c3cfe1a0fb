import { builder } from '../graphql/builder.ts'
import { MAX_BUCKETS, UNIT_MS } from './statistics.ts'

export const BucketUnit = builder.enumType('BucketUnit', {
  description: 'The length of a statistics bucket. Buckets are aligned to UTC.',
  values: {
    MINUTE: { value: 'minute', description: 'One minute. Kept for 48 hours.' },
    HOUR: { value: 'hour', description: 'One hour. Kept as long as deliveries.' },
    DAY: { value: 'day', description: 'One day. Kept as long as deliveries.' },
  } as const,
})

/** The arguments of a field with a bucket per unit of time. */
export const bucketArgs = builder.args((t) => ({
  since: t.field({ type: 'DateTime', required: true, description: 'The start of the time range.' }),
  until: t.field({ type: 'DateTime', description: 'The end of the time range. Default: now.' }),
  bucket: t.field({
    type: BucketUnit,
    defaultValue: 'hour',
    required: true,
    description: 'The length of each bucket. Default: HOUR.',
  }),
}))

/** Raw arguments: complexity is counted before arguments are parsed. */
interface BucketArgs {
  readonly since?: unknown
  readonly until?: unknown
  readonly bucket?: unknown
}

/** The subfields cost once per bucket. Too many buckets are rejected when the field resolves. */
export function bucketComplexity({ since, until, bucket }: BucketArgs) {
  const untilMs = until == null ? Date.now() : timeOf(until)
  const unit = typeof bucket === 'string' ? bucket.toLowerCase() : 'hour'
  const count = (untilMs - timeOf(since)) / UNIT_MS[unit as keyof typeof UNIT_MS]
  return { field: 1, multiplier: count >= 0 ? Math.min(MAX_BUCKETS, count + 2) : MAX_BUCKETS }
}

const timeOf = (text: unknown) => Date.parse(typeof text === 'string' ? text : '')
