import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { latencyPercentile } from './latency.ts'
import {
  bucketRange,
  MAX_BUCKETS,
  readStatistics,
  type StatisticsBucket,
  UNIT_MS,
} from './statistics.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    /** Counts, in the buckets of `LATENCY_BOUNDS_MS`. */
    Latency: readonly number[]
  }
}

const BucketUnit = builder.enumType('BucketUnit', {
  description: 'How much time is counted together, in UTC.',
  values: {
    MINUTE: { value: 'minute', description: 'A minute. Kept for 48 hours.' },
    HOUR: { value: 'hour', description: 'An hour. Kept as long as deliveries are.' },
    DAY: { value: 'day', description: 'A day. Kept as long as deliveries are.' },
  } as const,
})

builder.objectType('Latency', {
  description:
    'How long attempts took, from their beginning to their end. Estimated from counts, to within a quarter or so.',
  fields: (t) => ({
    p50Ms: t.float({
      description: 'Half of the attempts took no longer, in milliseconds.',
      resolve: (counts) => latencyPercentile(counts, 0.5) ?? 0,
    }),
    p95Ms: t.float({
      description: '95 of 100 took no longer, in milliseconds.',
      resolve: (counts) => latencyPercentile(counts, 0.95) ?? 0,
    }),
    p99Ms: t.float({
      description: '99 of 100 took no longer, in milliseconds.',
      resolve: (counts) => latencyPercentile(counts, 0.99) ?? 0,
    }),
  }),
})

const Bucket = builder.objectRef<StatisticsBucket>('StatisticsBucket').implement({
  description: 'The attempts that ended in a span of time.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'When the span begins.' }),
    attempts: t.exposeInt('attempts', { description: 'How many attempts there were.' }),
    succeeded: t.exposeInt('succeeded', { description: 'How many were answered with 2xx.' }),
    failed: t.int({
      description: 'How many failed: they were not answered with 2xx.',
      resolve: ({ attempts, succeeded }) => attempts - succeeded,
    }),
    failed3xx: t.exposeInt('failed3xx', { description: 'How many were answered with 3xx.' }),
    failed4xx: t.exposeInt('failed4xx', { description: 'How many were answered with 4xx.' }),
    failed5xx: t.exposeInt('failed5xx', {
      description: 'How many were answered with 5xx, or with what is no status of HTTP.',
    }),
    failedWithoutResponse: t.exposeInt('failedWithoutResponse', {
      description: 'How many got no response: a timeout, or no connection.',
    }),
    successRate: t.float({
      nullable: true,
      description:
        'The part of the attempts that succeeded, from 0 to 1. Null when there were none.',
      resolve: ({ attempts, succeeded }) => (attempts > 0 ? succeeded / attempts : null),
    }),
    latency: t.field({
      type: 'Latency',
      nullable: true,
      description: 'How long the attempts took. Null when there were none.',
      resolve: ({ attempts, latency }) => (attempts > 0 ? latency : null),
    }),
  }),
})

const WHAT = `What attempts came to, in spans of time, oldest first: every span that the time from \`since\` to \`until\` touches, those without attempts too; at most ${MAX_BUCKETS}. Needs the scope \`deliveries:read\`.`

/** As they are written: complexity is counted before arguments are read. */
interface BucketArgs {
  readonly since: unknown
  readonly until?: unknown
  readonly bucket: unknown
}

/** Everything below, once for each bucket. Too many buckets are refused by their own rule. */
function bucketComplexity({ since, until, bucket }: BucketArgs) {
  const timeMs = Date.parse(String(until ?? new Date().toISOString())) - Date.parse(String(since))
  const count = timeMs / UNIT_MS[String(bucket).toLowerCase() as keyof typeof UNIT_MS]
  return { field: 1, multiplier: count >= 0 ? Math.min(MAX_BUCKETS, count + 2) : MAX_BUCKETS }
}

const SINCE = 'Where the time begins.'
const UNTIL = 'Where it ends. Default: now.'
const BUCKET = 'How long each span is.'

builder.prismaObjectFields('Webhook', (t) => ({
  statistics: t.field({
    type: [Bucket],
    nullable: true,
    description: WHAT,
    complexity: bucketComplexity,
    authScopes: { scope: 'deliveries:read' },
    args: {
      since: t.arg({ type: 'DateTime', required: true, description: SINCE }),
      until: t.arg({ type: 'DateTime', description: UNTIL }),
      bucket: t.arg({
        type: BucketUnit,
        defaultValue: 'hour',
        required: true,
        description: BUCKET,
      }),
    },
    resolve: async ({ id }, { bucket, ...args }, context, info) => {
      const range = bucketRange({ ...args, unit: bucket })
      return await context.perField(info, (webhooks: string[]) =>
        readStatistics(context.sql, { webhooks }, range),
      )(id)
    },
  }),
}))

builder.queryField('statistics', (t) =>
  t.field({
    type: [Bucket],
    nullable: true,
    description: `Of all webhooks of the organization together, deleted ones included. ${WHAT}`,
    complexity: bucketComplexity,
    authScopes: { scope: 'deliveries:read' },
    args: {
      since: t.arg({ type: 'DateTime', required: true, description: SINCE }),
      until: t.arg({ type: 'DateTime', description: UNTIL }),
      bucket: t.arg({
        type: BucketUnit,
        defaultValue: 'hour',
        required: true,
        description: BUCKET,
      }),
    },
    resolve: async (_root, { bucket, ...args }, context) => {
      const range = bucketRange({ ...args, unit: bucket })
      const { organizationId: organization } = callerOf(context)
      const [buckets] = await readStatistics(context.sql, { organization }, range)
      return buckets ?? []
    },
  }),
)
