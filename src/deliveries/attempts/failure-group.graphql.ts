import type { Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { MAX_PAGE_SIZE, PAGE_SIZE, pageSizeRule } from '../../graphql/arguments.ts'
import { builder } from '../../graphql/builder.ts'
import { lookUp } from '../../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../../graphql/organization-fields.ts'
import { filtersByOneWebhook } from '../../graphql/portal-access.ts'
import { lowerBoundAt, timestampOf, upperBoundAt } from '../../lib/uuid-v7.ts'
import { FIRST_ID } from '../../queue/long-work.ts'
import { findWebhooksByIds } from '../../webhooks/find-webhooks.ts'
import { filteredWebhook } from '../read-filters.ts'
import { findAttemptsByIds } from './find-attempts.ts'

interface FailureGroupFilter {
  /** Failures recorded at or after this time. */
  readonly since: Date
  /** Failures recorded before this time. Default: no end. */
  readonly until?: Date | null | undefined
  readonly webhookUuid?: string | null | undefined
}

/** The failed attempts of one webhook with one cause. */
interface FailureGroupRow {
  readonly organizationId: string
  readonly webhookId: string
  readonly cause: string
  readonly count: number
  /** False if counting stopped early. */
  readonly countIsExact: boolean
  readonly firstAttemptId: string
  readonly lastAttemptId: string
}

/** A search reads at most this many pairs of a webhook and a cause. */
const MAX_PAIRS = 500

/** A search counts at most this many failures, shared equally by the pairs. */
const MAX_COUNTED_FAILURES = 50_000

const FailureGroup = builder.objectRef<FailureGroupRow>('FailureGroup').implement({
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
      description: 'When the first of the counted attempts was recorded.',
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

organizationFields((t) => ({
  failures: t.field({
    type: [FailureGroup],
    semanticNonNull: true,
    description: `The failed attempts of a time range, grouped by webhook and cause: the largest groups first, because they are the trouble. Considers at most ${MAX_PAIRS.toLocaleString('en')} groups.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByOneWebhook,
    // Any other size is rejected before a row is read.
    complexity: ({ first }) => ({
      multiplier: typeof first === 'number' ? Math.max(first, 0) : PAGE_SIZE,
    }),
    args: {
      filter: t.arg({
        type: FailureFilter,
        required: true,
        description: 'Selects failed attempts.',
      }),
      first: t.arg.int({
        description: `How many groups: at most ${MAX_PAGE_SIZE}. Default: ${PAGE_SIZE}.`,
        validate: pageSizeRule,
      }),
    },
    resolve: (organization, { filter, first }, context) =>
      findFailureGroups(
        context.sql,
        organizationOf(organization, context),
        { ...filter, webhookUuid: filteredWebhook(filter.webhookId) },
        first ?? PAGE_SIZE,
      ),
  }),
}))

const DAY_MS = 86_400_000

/** The groups with the most failures, those first. Reads only the index on (organization, webhook, cause, id). */
export async function findFailureGroups(
  sql: Sql,
  organizationId: string,
  { since, until, webhookUuid }: FailureGroupFilter,
  size: number,
): Promise<FailureGroupRow[]> {
  const { rows } = await sql.query<FailureGroupRow>({
    name: webhookUuid ? 'find_failure_groups_of_webhook' : 'find_failure_groups',
    text: webhookUuid
      ? findFailureGroupsSql('$7::uuid', 'a.webhook_id = $7')
      : findFailureGroupsSql(`'${FIRST_ID}'::uuid`, 'true'),
    values: [
      organizationId,
      lowerBoundAt(since),
      upperBoundAt(until),
      lowerBoundAt(new Date(Math.floor(since.getTime() / DAY_MS) * DAY_MS)),
      upperBoundAt(until && new Date(Math.ceil(until.getTime() / DAY_MS) * DAY_MS)),
      size,
      ...(webhookUuid ? [webhookUuid] : []),
    ],
  })
  return rows
}

/** SQL: failures of the days of the range. The bounds of the days prune the partitions, and no row fails them. */
const OF_DAYS = 'a.organization_id = $1 and a.cause is not null and a.id >= $4 and a.id < $5'

/** SQL: the failures of a pair in the range. The row comparisons match the index. */
const OF_PAIR = `a.organization_id = $1 and a.cause is not null and a.id >= $2 and a.id < $3
  and (a.webhook_id, a.cause, a.id) >= (pair.webhook_id, pair.cause, $2::uuid)
  and (a.webhook_id, a.cause, a.id) < (pair.webhook_id, pair.cause, $3::uuid)`

/** The pairs are found one after the other, each by one look into the index, from a pair before the first one. */
const findFailureGroupsSql = (firstWebhook: string, ofWebhook: string) => `
  with recursive found as (
    select ${firstWebhook} as webhook_id, '' as cause, 0 as n
    union all
    select next.webhook_id, next.cause, found.n + 1 from found, lateral (
      select a.webhook_id, a.cause from posthorn.attempts as a
      where ${OF_DAYS} and ${ofWebhook} and (a.webhook_id, a.cause) > (found.webhook_id, found.cause)
      order by a.webhook_id, a.cause limit 1
    ) as next
    where found.n < ${MAX_PAIRS}
  ),
  pair as materialized (select webhook_id, cause from found where n > 0)
  select $1::uuid as "organizationId", pair.webhook_id as "webhookId", pair.cause, least(counted.count, budget.each)::int as count,
    counted.count <= budget.each as "countIsExact", counted.ids[counted.count] as "firstAttemptId",
    counted.ids[1] as "lastAttemptId"
  from pair cross join (select ${MAX_COUNTED_FAILURES} / greatest(1, count(*)) as each from pair) as budget
  cross join lateral (
    select count(*)::int as count, array_agg(id order by id desc) as ids from (
      select a.id from posthorn.attempts as a where ${OF_PAIR}
      order by a.webhook_id desc, a.cause desc, a.id desc limit budget.each + 1
    ) as failure
  ) as counted
  where counted.count > 0 order by counted.count desc, pair.webhook_id, pair.cause limit $6`
