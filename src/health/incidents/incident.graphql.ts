import { choicesRule } from '../../graphql/arguments.ts'
import { builder } from '../../graphql/builder.ts'
import { withinReach } from '../../graphql/context.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { ConflictError } from '../../graphql/errors.ts'
import { addList } from '../../graphql/list.ts'
import { mutation } from '../../graphql/mutation.ts'
import { filtersByOneWebhook, rowsOfWebhook } from '../../graphql/portal-access.ts'
import { WebhookState } from '../../webhooks/delivery-enums.ts'
import type { WebhookState as State } from '../../webhooks/webhook-state.ts'
import { acknowledgeIncident, findIncidents, stateOf } from './incident.ts'

const IncidentState = enumOf('IncidentState', 'The state of an incident.', {
  open: 'The webhook is in trouble.',
  acknowledged: 'The webhook is in trouble, and somebody takes note of it.',
  resolved: 'The trouble is over: the webhook is healthy, disabled or deleted.',
})

const Incident = builder.prismaNode('Incident', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'webhooks:read', ofWebhook: rowsOfWebhook('incidents') },
  select: { id: true, webhookId: true },
  fields: (t) => ({
    state: t.field({
      type: IncidentState,
      description: 'The state of the incident.',
      select: { acknowledgedAt: true, resolvedAt: true },
      resolve: (incident) => stateOf(incident),
    }),
    webhookState: t.field({
      type: WebhookState,
      description: 'The state of the webhook; of a resolved incident, the last one.',
      select: { webhookState: true },
      resolve: ({ webhookState }) => webhookState as State,
    }),
    cause: t.exposeString('cause', { nullable: true }),
    openedAt: t.expose('openedAt', { type: 'DateTime' }),
    acknowledgedAt: t.expose('acknowledgedAt', { type: 'DateTime', nullable: true }),
    acknowledgedBy: t.exposeString('acknowledgedBy', { nullable: true }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true }),
  }),
})

const IncidentFilterInput = builder.inputType('IncidentFilter', {
  description: 'Selects incidents. An incident must match all given fields.',
  fields: (t) => ({
    states: t.field({
      type: [IncidentState],
      description: 'Incidents in one of these states.',
      validate: choicesRule,
    }),
    webhookId: t.id({ description: 'Incidents of this webhook: `wh_…`.' }),
  }),
})

const ORDER =
  'First those that are not resolved, the worst first; then the resolved ones, the last resolved first. An incident that changes between two pages can repeat or be skipped.'

addList('Organization', 'incidents', 'Incident', {
  description: `The incidents of the organization. ${ORDER} Resolved incidents are kept as long as deliveries.`,
  scope: 'webhooks:read',
  portal: filtersByOneWebhook,
  args: (t) => ({
    filter: t.field({ type: IncidentFilterInput, description: 'Selects incidents. Default: all.' }),
  }),
  find: (query, organizationId, { filter }, { prisma }) =>
    findIncidents(prisma, organizationId, filter ?? {}, query),
})

builder.prismaObjectFields('Webhook', (t) => ({
  openIncident: t.field({
    type: Incident,
    nullable: true,
    description: 'The incident of the webhook that is not resolved, or null.',
    authScopes: { scope: 'webhooks:read' },
    select: (_args, _context, nestedSelection) => ({
      incidents: nestedSelection({ where: { resolvedAt: null } }),
    }),
    resolve: ({ incidents: [open] }) => open ?? null,
  }),
}))

mutation('acknowledgeIncident', {
  description:
    'Acknowledges an incident that is not resolved, or withdraws that. Nobody is told, and deliveries continue as before.',
  scope: 'webhooks:write',
  id: 'incident',
  input: {
    description: 'Whether an incident is acknowledged.',
    fields: (t) => ({
      acknowledged: t.boolean({
        required: true,
        defaultValue: true,
        description: 'False withdraws the acknowledgment.',
      }),
    }),
  },
  errors: [ConflictError],
  returns: ['incident', 'Incident', 'The incident after the change.'],
  run: async ({ id, input: { acknowledged } }, { prisma, actor }, { organizationId }) => {
    await acknowledgeIncident(prisma, organizationId, id, acknowledged, actor)
    return id
  },
})
