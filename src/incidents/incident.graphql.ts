import { publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { choicesRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { withinReach } from '../graphql/context.ts'
import { lookUp } from '../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { filtersByOneWebhook, type RestrictedSession } from '../graphql/portal-access.ts'
import { BehindCause } from '../webhooks/behind-cause-enum.ts'
import { findWebhooksByIds } from '../webhooks/find-webhooks.ts'
import type { BehindCause as Cause, WebhookState as State } from '../webhooks/webhook-state.ts'
import { WebhookState } from '../webhooks/webhook-state-enum.ts'
import { countIncidents, findIncidents, type IncidentFilter, stateOf } from './find-incidents.ts'
import { type CloseReason, IncidentCloseReason, IncidentState } from './incident-enums.ts'
import {
  countFailures,
  type IncidentTime,
  readFailureTrends,
  TREND_HOURS,
} from './incident-failures.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    IncidentFilter: IncidentFilter
  }
}

const MAX_HISTORY = 100

const Incident = builder.prismaNode('Incident', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'webhooks:read', ofWebhook: incidentsOfWebhook },
  select: { id: true, webhookId: true, openedAt: true, closedAt: true, snoozedUntil: true },
  fields: (t) => ({
    state: t.field({
      type: IncidentState,
      description: 'The state of the incident.',
      resolve: (incident) => stateOf(incident),
    }),
    webhookState: t.field({
      type: WebhookState,
      description: 'The state of the webhook; of a closed incident, the last one.',
      select: { webhookState: true },
      resolve: ({ webhookState }) => webhookState as State,
    }),
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    cause: t.exposeString('cause', { nullable: true }),
    behindCause: t.field({
      type: BehindCause,
      nullable: true,
      description: 'Why the webhook is behind. Null in another state.',
      select: { behindCause: true },
      resolve: ({ behindCause }) => behindCause as Cause | null,
    }),
    openedAt: t.expose('openedAt', { type: 'DateTime' }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true }),
    closeReason: t.field({
      type: IncidentCloseReason,
      nullable: true,
      description: 'Why the incident was closed. Null until then.',
      select: { closeReason: true },
      resolve: ({ closeReason }) => closeReason as CloseReason | null,
    }),
    failedAttempts: t.int({
      description: 'The number of attempts for the webhook that failed during the incident.',
      resolve: ({ webhookId, openedAt, closedAt }, _args, { sql, perField }, info) =>
        perField(info, (times: IncidentTime[]) => countFailures(sql, times))({
          webhookId,
          openedAt,
          closedAt,
        }),
    }),
    failedAttemptsByHour: t.intList({
      description: `The number of failed attempts for the webhook in each of the last ${TREND_HOURS} hours, the oldest first; the last one is the present hour.`,
      resolve: ({ webhookId }, _args, { sql, perField }, info) =>
        perField(info, (webhooks: string[]) => readFailureTrends(sql, webhooks))(webhookId),
    }),
    peakWaiting: t.exposeInt('peakWaiting'),
    acknowledgedAt: t.expose('acknowledgedAt', { type: 'DateTime', nullable: true }),
    acknowledgedBy: t.exposeString('acknowledgedBy', { nullable: true }),
    snoozedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the incident is snoozed. Null if it is not.',
      resolve: (incident) => (stateOf(incident) === 'snoozed' ? incident.snoozedUntil : null),
    }),
    assignee: t.exposeString('assignee', { nullable: true }),
    webhook: t.prismaField({
      type: 'Webhook',
      nullable: true,
      description: 'The webhook. Null if it was deleted.',
      authScopes: { scope: 'webhooks:read' },
      select: { organizationId: true },
      resolve: (query, { webhookId, organizationId }, _args, context, info) =>
        lookUp(findWebhooksByIds, query, context, info, organizationId)(webhookId),
    }),
    history: t.relation('entries', {
      description: `What happened to the incident, newest first: the last ${MAX_HISTORY} entries.`,
      query: { orderBy: { id: 'desc' }, take: MAX_HISTORY },
      complexity: { field: 1, multiplier: MAX_HISTORY },
    }),
  }),
})

builder.inputType('IncidentFilter', {
  description: 'Selects incidents. An incident must match all given fields.',
  fields: (t) => ({
    states: t.field({
      type: [IncidentState],
      description: 'Incidents in one of these states.',
      validate: choicesRule,
    }),
    webhookId: t.id({ description: 'Incidents of this webhook: `wh_…`.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Incidents that were not over before this time.',
    }),
  }),
})

const IncidentConnection = builder.connectionObject(
  {
    type: Incident,
    name: 'IncidentConnection',
    description: 'A page of incidents.',
    fields: (t) => ({
      totalCount: t.int({
        description: 'The number of incidents on all pages.',
        resolve: (connection) => (connection as unknown as Countable).totalCount(),
      }),
    }),
  },
  { name: 'IncidentEdge', description: 'An incident in a page.' },
)

/** The count is a function on the connection, so that it runs only if the field is selected. */
interface Countable {
  readonly totalCount: () => Promise<number>
}

const ORDER =
  'First those that are not closed, the worst first; then the closed ones, the last closed first. An incident that changes between two pages can repeat or be skipped.'

organizationFields((t) => ({
  incidents: t.prismaConnection(
    {
      type: 'Incident',
      cursor: 'id',
      semanticNonNull: true,
      description: `The incidents of the organization. ${ORDER} Closed incidents are kept as long as deliveries.`,
      authScopes: { scope: 'webhooks:read' },
      portal: filtersByOneWebhook,
      args: {
        filter: t.arg({ type: 'IncidentFilter', description: 'Selects incidents. Default: all.' }),
      },
      resolve: (query, organization, { filter }, context) =>
        findIncidents(context.prisma, organizationOf(organization, context), filter ?? {}, query),
      totalCount: (organization, { filter }, context) =>
        countIncidents(context.prisma, organizationOf(organization, context), filter ?? {}),
    },
    IncidentConnection,
  ),
}))

function incidentsOfWebhook({ webhookId, context }: RestrictedSession, uuids: readonly string[]) {
  return selectIds(
    context.sql,
    'select id from posthorn.incidents where webhook_id = $1 and id = any ($2::uuid[])',
    [webhookId, uuids],
  )
}
