import { builder } from '../graphql/builder.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { bucketArgs, bucketComplexity } from '../webhooks/bucket-arguments.ts'
import { bucketRange, MAX_BUCKETS } from '../webhooks/statistics.ts'
import { type BacklogBucket, readBacklogs } from './backlog-samples.ts'
import { MAX_COUNTED_PARKED } from './count-parked.ts'

const Bucket = builder.objectRef<BacklogBucket>('BacklogBucket').implement({
  description: 'The deliveries that waited in one bucket of time.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'When the bucket starts.' }),
    waiting: t.exposeInt('waiting', {
      nullable: true,
      description: `The largest number of waiting deliveries that was counted in the bucket. Posthorn counts once a minute, and at most ${MAX_COUNTED_PARKED.toLocaleString('en')} for each webhook. Null if nothing was counted in the bucket, for example while no worker ran.`,
    }),
  }),
})

const BUCKETS = `one bucket per unit of time from \`since\` to \`until\`, oldest first, including empty buckets. At most ${MAX_BUCKETS.toLocaleString('en')} buckets. Counts of each minute are kept for 48 hours, and then one of each hour.`
builder.prismaObjectFields('Webhook', (t) => ({
  backlogHistory: t.field({
    type: [Bucket],
    semanticNonNull: true,
    description: `The waiting deliveries of this webhook over time: ${BUCKETS}`,
    complexity: bucketComplexity,
    authScopes: { scope: 'deliveries:read' },
    args: bucketArgs,
    resolve: async ({ id }, { bucket, ...args }, context, info) => {
      const range = bucketRange({ ...args, unit: bucket })
      return await context.perField(info, (webhooks: string[]) =>
        readBacklogs(context.sql, { webhooks }, range),
      )(id)
    },
  }),
}))

organizationFields((t) => ({
  backlogHistory: t.field({
    type: [Bucket],
    semanticNonNull: true,
    description: `The waiting deliveries of all webhooks of the organization over time: ${BUCKETS}`,
    complexity: bucketComplexity,
    authScopes: { scope: 'deliveries:read' },
    args: bucketArgs,
    resolve: async (parent, { bucket, ...args }, context) => {
      const range = bucketRange({ ...args, unit: bucket })
      const organization = organizationOf(parent, context)
      const [buckets] = await readBacklogs(context.sql, { organization }, range)
      return buckets ?? []
    },
  }),
}))
