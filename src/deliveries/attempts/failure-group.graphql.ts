import { z } from 'zod'
import { publicId } from '../../db/ids.ts'
import { builder } from '../../graphql/builder.ts'
import { callerOf } from '../../graphql/context.ts'
import { requestedSize } from '../../graphql/limits/field-complexity.ts'
import { lookUp } from '../../graphql/look-up.ts'
import { filtersByWebhook } from '../../graphql/portal-access.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { findWebhooksByIds } from '../../webhooks/find-webhooks.ts'
import { findAttemptsByIds } from '../find-by-ids.ts'
import { readAttemptFilter } from '../read-filters.ts'
import {
  type FailureGroup as FailureGroupOfDomain,
  findFailureGroups,
  MAX_COUNTED_FAILURES,
  MAX_PAIRS,
} from './failure-groups.ts'

declare module '../../graphql/builder.ts' {
  interface Inputs {
    FailureGroupFilter: {
      since: Date
      until?: Date | null | undefined
      webhookId?: string | null | undefined
    }
  }
}

const MAX_GROUPS = 100
const DEFAULT_GROUPS = 20

const FailureGroup = builder.objectRef<FailureGroupOfDomain>('FailureGroup').implement({
  description: 'The failed attempts of one webhook with one cause, in a time range.',
  fields: (t) => ({
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description: 'The webhook. Null if it was deleted. Needs the scope `webhooks:read`.',
      authScopes: { scope: 'webhooks:read' },
      resolve: (query, { webhookId }, _args, context, info) =>
        lookUp(findWebhooksByIds, query, context, info)(webhookId),
    }),
    cause: t.exposeString('cause', {
      description:
        'The cause: the HTTP status, such as `502`, or the error code, such as `response_timed_out`.',
    }),
    count: t.exposeInt('count', { description: 'The number of failed attempts.' }),
    countIsExact: t.exposeBoolean('countIsExact', {
      description: `Whether \`count\` is exact. Counting stops at ${MAX_COUNTED_FAILURES.toLocaleString('en')} failures of all groups together, shared equally.`,
    }),
    firstSeenAt: t.field({
      type: 'DateTime',
      description: 'When the first of the attempts was recorded.',
      resolve: ({ firstAttemptId }) => timestampOf(firstAttemptId),
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description: 'When the last of the attempts was recorded.',
      resolve: ({ lastAttemptId }) => timestampOf(lastAttemptId),
    }),
    sample: t.prismaField({
      type: 'Attempt',
      nullable: true,
      description:
        'The last of the attempts. Null if it was deleted in the meantime. Needs the scope `deliveries:read`.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { lastAttemptId }, _args, context, info) =>
        lookUp(findAttemptsByIds, query, context, info)(lastAttemptId),
    }),
  }),
})

builder.inputType('FailureGroupFilter', {
  description: 'Selects failed attempts.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      required: true,
      description: 'Attempts that were recorded at or after this time.',
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Attempts recorded before this time. Default: now.',
    }),
    webhookId: t.id({ description: 'Attempts for this webhook, which may be deleted: `wh_…`.' }),
  }),
})

const sizeRule = z
  .int()
  .refine((size) => size >= 1 && size <= MAX_GROUPS, `must be from 1 to ${MAX_GROUPS}`)
  .nullish()

builder.queryField('failureGroups', (t) =>
  t.field({
    type: [FailureGroup],
    semanticNonNull: true,
    description: `The failed attempts of a time range, grouped by webhook and cause, the largest groups first. Considers at most ${MAX_PAIRS.toLocaleString('en')} groups. Needs the scope \`deliveries:read\`.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByWebhook,
    complexity: ({ first }) => ({ field: 1, multiplier: requestedSize(first, DEFAULT_GROUPS) }),
    args: {
      filter: t.arg({
        type: 'FailureGroupFilter',
        required: true,
        description: 'Selects failed attempts.',
      }),
      first: t.arg.int({
        description: `The number of groups to return: 1 to ${MAX_GROUPS}. Default: ${DEFAULT_GROUPS}.`,
        validate: sizeRule,
      }),
    },
    resolve: (_root, { filter: { since, ...filter }, first }, context) =>
      findFailureGroups(
        context.sql,
        callerOf(context).organizationId,
        { ...readAttemptFilter(filter), since },
        first ?? DEFAULT_GROUPS,
      ),
  }),
)
