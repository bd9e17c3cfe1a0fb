import { builder } from '../../graphql/builder.ts'
import { callerOf } from '../../graphql/context.ts'
import { filtersByWebhook } from '../../graphql/portal-access.ts'
import { BucketUnit, bucketComplexity } from '../../webhooks/bucket-arguments.ts'
import { bucketRange } from '../../webhooks/statistics.ts'
import { readAttemptFilter } from '../read-filters.ts'
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
    isExact: t.exposeBoolean('isExact', {
      description: `Whether every failure is counted. Counting stops at the newest ${MAX_COUNTED.toLocaleString('en')} failures, shared equally by the causes.`,
    }),
  }),
})

builder.queryField('failureCauses', (t) =>
  t.field({
    type: Causes,
    semanticNonNull: true,
    description: `The failed attempts of a time range by cause, over time. At most ${MAX_CAUSES} causes. Needs the scope \`deliveries:read\`.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByWebhook,
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
    resolve: (_root, { filter: { since, until, ...filter }, bucket }, context) =>
      findFailureCauses(
        context.sql,
        callerOf(context).organizationId,
        readAttemptFilter(filter).webhookUuid ?? null,
        bucketRange({ since, until, unit: bucket }),
      ),
  }),
)
