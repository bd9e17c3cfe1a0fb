import { publicId } from '../../db/ids.ts'
import { PAGE_SIZE } from '../../graphql/arguments.ts'
import { builder } from '../../graphql/builder.ts'
import { listConnection } from '../../graphql/list-connection.ts'
import { lookUp } from '../../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../../graphql/organization-fields.ts'
import { filtersByOneWebhook } from '../../graphql/portal-access.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { findWebhooksByIds } from '../../webhooks/find-webhooks.ts'
import { filteredWebhook } from '../read-filters.ts'
import {
  type FailureGroup as FailureGroupOfDomain,
  findFailureGroups,
  MAX_COUNTED_FAILURES,
  MAX_PAIRS,
} from './failure-groups.ts'
import { findAttemptsByIds } from './find-attempts.ts'

interface FailureGroupOf extends FailureGroupOfDomain {
  readonly organizationId: string
}

const FailureGroup = builder.objectRef<FailureGroupOf>('FailureGroup').implement({
  description: 'The failed attempts of one webhook with one cause, in a time range.',
  fields: (t) => ({
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description: 'The webhook. Null if it was deleted.',
      authScopes: { scope: 'webhooks:read' },
      resolve: (query, { webhookId, organizationId }, _args, context, info) =>
        lookUp(findWebhooksByIds, query, context, info, organizationId)(webhookId),
    }),
    cause: t.exposeString('cause', {
      description: 'The HTTP status, such as `502`, or the error code of the attempts.',
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
      description: 'The last of the attempts. Null if it was deleted in the meantime.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, { lastAttemptId, organizationId }, _args, context, info) =>
        lookUp(findAttemptsByIds, query, context, info, organizationId)(lastAttemptId),
    }),
  }),
})

const FailureFilter = builder.inputType('FailureFilter', {
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

const FailureGroupConnection = builder.connectionObject(
  { type: FailureGroup, name: 'FailureGroupConnection', description: 'A page of failure groups.' },
  { name: 'FailureGroupEdge', description: 'A failure group in a page.' },
)

organizationFields((t) => ({
  failures: t.connection(
    {
      type: FailureGroup,
      semanticNonNull: true,
      description: `The failed attempts of a time range, grouped by webhook and cause, the largest groups first, because they are the trouble. Considers at most ${MAX_PAIRS.toLocaleString('en')} groups.`,
      authScopes: { scope: 'deliveries:read' },
      portal: filtersByOneWebhook,
      args: {
        filter: t.arg({
          type: FailureFilter,
          required: true,
          description: 'Selects failed attempts.',
        }),
      },
      resolve: async (organization, { filter, ...page }, context) => {
        const organizationId = organizationOf(organization, context)
        const { after, before, first, last } = page
        const isFirst = after == null && before == null && last == null
        const groups = await findFailureGroups(
          context.sql,
          organizationId,
          { ...filter, webhookUuid: filteredWebhook(filter) },
          isFirst ? (first ?? PAGE_SIZE) + 1 : MAX_PAIRS,
        )
        const keyOf = ({ webhookId, cause }: FailureGroupOf) => webhookId + cause
        return await listConnection(
          groups.map((group) => ({ ...group, organizationId })),
          keyOf,
          page,
        )
      },
    },
    FailureGroupConnection,
  ),
}))
