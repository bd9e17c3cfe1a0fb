import { builder } from '../../graphql/builder.ts'
import { organizationFields, organizationOf } from '../../graphql/organization-fields.ts'
import { filtersByOneWebhook } from '../../graphql/portal-access.ts'
import { BucketUnit, bucketComplexity } from '../../webhooks/bucket-arguments.ts'
import { bucketRange } from '../../webhooks/statistics.ts'
import { filteredWebhook } from '../read-filters.ts'
import {
  type FailureCauseBucket,
  type FailureCauses,
  findFailureCauses,
  MAX_CAUSES,
  MAX_COUNTED,
} from './failure-causes.ts'

const Bucket = builder.objectRef<FailureCauseBucket>('FailureCauseBucket').implement({
  description: 'The failed attempts with one cause in one bucket of time.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'When the bucket starts.' }),
    cause: t.exposeString('cause', {
      description:
        'The cause: the HTTP status, such as `502`, or the error code, such as `response_timed_out`.',
    }),
    count: t.exposeInt('count', { description: 'The number of failed attempts.' }),
  }),
})

const Causes = builder.objectRef<FailureCauses>('FailureCauses').implement({
  description: 'The causes of failures over time.',
  fields: (t) => ({
    buckets: t.field({
      type: [Bucket],
      description: 'Buckets with failures, oldest first, one for each cause.',
      resolve: ({ buckets }) => [...buckets],
    }),
    countIsExact: t.exposeBoolean('isExact', {
      description: `Whether every failure is counted. Counting stops at the newest ${MAX_COUNTED.toLocaleString('en')} failures, shared equally by the causes.`,
    }),
  }),
})

organizationFields((t) => ({
  failureCauses: t.field({
    type: Causes,
    semanticNonNull: true,
    description: `The failed attempts of a time range by cause, over time. At most ${MAX_CAUSES} causes.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByOneWebhook,
    complexity: ({ filter, bucket }) => bucketComplexity({ ...(filter as object), bucket }),
    args: {
      filter: t.arg({
        type: 'FailureGroupFilter',
        required: true,
        description: 'Selects failed attempts.',
      }),
      bucket: t.arg({
        type: BucketUnit,
        defaultValue: 'hour',
        required: true,
        description: 'The length of each bucket. Default: HOUR.',
      }),
    },
    resolve: (organization, { filter, bucket }, context) =>
      findFailureCauses(
        context.sql,
        organizationOf(organization, context),
        filteredWebhook(filter),
        bucketRange({ ...filter, unit: bucket }),
      ),
  }),
}))
