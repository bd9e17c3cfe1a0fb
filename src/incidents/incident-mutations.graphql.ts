import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { readIncident } from './find-incidents.ts'
import { updateIncident } from './incident.ts'

const UpdateIncidentInput = builder.inputType('UpdateIncidentInput', {
  description: 'Changes to an incident. Omitted fields keep their values.',
  fields: (t) => ({
    acknowledged: t.boolean({
      description: 'Whether somebody takes note of the incident. False withdraws that.',
    }),
    snoozedUntil: t.field({
      type: 'DateTime',
      description:
        'Until when the incident is snoozed: a time within 90 days. Null ends the snooze.',
    }),
    assignee: t.string({
      description:
        'The name of the person who takes care of the incident: 1 to 100 characters. Null removes the name.',
    }),
  }),
})

builder.mutationField('updateIncident', (t) =>
  t.prismaField({
    type: 'Incident',
    nullable: true,
    description:
      'Acknowledges, snoozes or assigns an incident that is not closed. Nobody is told, and deliveries continue as before.',
    authScopes: { scope: 'webhooks:write' },
    portal: changesNode('incident'),
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      dataField: { name: 'incident', description: 'The incident after the change.' },
      result: { description: 'The incident was changed.' },
      union: { description: 'The result of `updateIncident`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the incident: `inc_…`.' }),
      input: t.arg({ type: UpdateIncidentInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const { prisma, actor } = context
      const { organizationId } = callerOf(context)
      await updateIncident(prisma, organizationId, id, input, actor)
      return await readIncident(prisma, organizationId, id, query)
    },
  }),
)
