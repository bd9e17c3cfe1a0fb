import type { GraphQLResolveInfo } from 'graphql'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { latencyPercentile } from './latency.ts'
import {
  type BucketUnit,
  bucketRange,
  COUNTS,
  MAX_BUCKETS,
  readStatistics,
  type StatisticsBucket,
  UNIT_MS,
} from './statistics.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    /** The number of attempts in each bucket of `LATENCY_BOUNDS_MS`. */
    Latency: readonly number[]
  }
}

builder.objectType('Latency', {
  description: 'Percentiles of durations, with an error of about 25%.',
  fields: (t) =>
    Object.fromEntries(
      ([50, 95, 99] as const).map((percent) => [
        `p${percent}Ms`,
        t.float({
          description: `The ${percent}th percentile, in milliseconds.`,
          resolve: (counts) => latencyPercentile(counts, percent / 100) ?? 0,
        }),
      ]),
    ),
})

const Bucket = builder.objectRef<StatisticsBucket>('StatisticsBucket').implement({
  description: 'The attempts that ended in one bucket of time.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'When the bucket starts.' }),
    ...Object.fromEntries(
      Object.entries(COUNTS).map(([name, [_, description]]) => [
        name,
        t.exposeInt(name as keyof typeof COUNTS, { description }),
      ]),
    ),
    failed: t.int({
      description: 'The number of attempts without a 2xx response.',
      resolve: ({ attempts, succeeded }) => attempts - succeeded,
    }),
    successRate: t.float({
      nullable: true,
      description: 'The share of successful attempts, from 0 to 1. Null: no attempts.',
      resolve: ({ attempts, succeeded }) => (attempts > 0 ? succeeded / attempts : null),
    }),
    latency: t.field({
      type: 'Latency',
      nullable: true,
      description: 'The duration of the attempts. Null if there were no attempts.',
      resolve: ({ attempts, latency }) => (attempts > 0 ? latency : null),
    }),
  }),
})

const BucketUnitRef = enumOf(
  'BucketUnit',
  'The length of a statistics bucket. Buckets are aligned to UTC.',
  {
    minute: 'One minute. Kept for 48 hours.',
    hour: 'One hour. Kept as long as deliveries.',
    day: 'One day. Kept as long as deliveries.',
  },
)

/** The arguments of a field with a bucket per unit of time. */
const bucketArgs = builder.args((t) => ({
  since: t.field({ type: 'DateTime', required: true, description: 'The start of the time range.' }),
  until: t.field({ type: 'DateTime', description: 'The end of the time range. Default: now.' }),
  bucket: t.field({
    type: BucketUnitRef,
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
function bucketComplexity({ since, until, bucket }: BucketArgs) {
  const untilMs = until == null ? Date.now() : timeOf(until)
  const unit = typeof bucket === 'string' ? bucket.toLowerCase() : 'hour'
  const count = (untilMs - timeOf(since)) / UNIT_MS[unit as keyof typeof UNIT_MS]
  return { field: 1, multiplier: count >= 0 ? Math.min(MAX_BUCKETS, count + 2) : MAX_BUCKETS }
}

const timeOf = (text: unknown) => Date.parse(typeof text === 'string' ? text : '')

const BUCKETS = `one bucket per unit of time from \`since\` to \`until\`, oldest first, including empty buckets. At most ${MAX_BUCKETS.toLocaleString('en')} buckets.`

const statisticsOptions = {
  type: [Bucket] as [typeof Bucket],
  semanticNonNull: true,
  complexity: bucketComplexity,
  authScopes: { scope: 'deliveries:read' },
  args: bucketArgs,
} as const

builder.prismaObjectFields('Webhook', (t) => ({
  statistics: t.field({
    ...statisticsOptions,
    description: `Statistics of the attempts of this webhook: ${BUCKETS}`,
    resolve: ({ id }, args, context, info) => statisticsOf(id, args, context, info),
  }),
}))

organizationFields((t) => ({
  statistics: t.field({
    ...statisticsOptions,
    description: `Statistics of the attempts of all webhooks of the organization, including deleted webhooks: ${BUCKETS}`,
    resolve: (parent, args, context, info) =>
      statisticsOf(organizationOf(parent, context), args, context, info),
  }),
}))

async function statisticsOf(
  uuid: string,
  { bucket, ...range }: { since: Date; until?: Date | null | undefined; bucket: BucketUnit },
  context: Context,
  info: GraphQLResolveInfo,
): Promise<StatisticsBucket[]> {
  const buckets = bucketRange({ ...range, unit: bucket })
  const run = (uuids: string[]) => readStatistics(context.sql, uuids, buckets)
  return await context.perField(info, run)(uuid)
}
