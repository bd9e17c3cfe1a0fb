import { builder } from '../graphql/builder.ts'
import { NotFoundError, resultOf } from '../graphql/errors.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import {
  readOperationalEvents,
  type OperationalEvents as Settings,
  setOperationalEvents,
} from './operational-events.ts'

const OperationalEvents = builder.objectRef<Settings>('OperationalEvents').implement({
  description:
    'The events that Posthorn publishes about itself, such as `posthorn.webhook.on_hold`, in the organization that they concern.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', {
      description:
        'Whether the catalogue has operational event types. A single one can be archived by `updateEventType`.',
    }),
    operatorOrganization: t.prismaField({
      type: 'Organization',
      nullable: true,
      description: 'The organization that gets the operational events of all others.',
      resolve: async (query, { operatorOrganizationId: id }, _args, { prisma }) =>
        id === null ? null : await findOrganization(prisma, id, query),
    }),
  }),
})

const SetOperationalEventsInput = builder.inputType('SetOperationalEventsInput', {
  description: 'Whether and where operational events are published.',
  fields: (t) => ({
    enabled: t.boolean({
      description:
        'True adds the operational event types to the catalogue, so that webhooks can subscribe to them. False archives them. Default: unchanged.',
    }),
    operatorOrganizationId: t.id({
      description:
        'The id of the organization that gets the operational events of all others, too: `org_…`. Null: none. Default: unchanged.',
    }),
  }),
})

builder.queryField('operationalEvents', (t) =>
  t.field({
    type: OperationalEvents,
    semanticNonNull: true,
    description: 'Whether and where operational events are published.',
    authScopes: { scope: 'admin' },
    resolve: (_root, _args, { prisma }) => readOperationalEvents(prisma),
  }),
)

builder.mutationField('setOperationalEvents', (t) =>
  t.field({
    type: OperationalEvents,
    description: 'Switches operational events on or off, for all organizations.',
    authScopes: { scope: 'admin' },
    errors: resultOf('operationalEvents', 'The operational events.', [NotFoundError]),
    args: {
      input: t.arg({ type: SetOperationalEventsInput, required: true, description: 'The change.' }),
    },
    resolve: async (_root, { input }, { prisma, actor }) => {
      const { enabled, operatorOrganizationId } = input
      await setOperationalEvents(
        prisma,
        { enabled, operatorOrganization: operatorOrganizationId },
        actor,
      )
      return await readOperationalEvents(prisma)
    },
  }),
)
