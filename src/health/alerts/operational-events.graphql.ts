import { builder } from '../../graphql/builder.ts'
import { NotFoundError } from '../../graphql/errors.ts'
import { mutation } from '../../graphql/mutation.ts'
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
        id === null
          ? null
          : await prisma.organization.findUniqueOrThrow({ ...query, where: { id } }),
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

mutation('setOperationalEvents', {
  description: 'Switches operational events on or off, for all organizations.',
  scope: 'admin',
  input: {
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
  },
  errors: [NotFoundError],
  returns: ['operationalEvents', OperationalEvents, 'The operational events.'],
  run: async ({ input: { enabled, operatorOrganizationId } }, { prisma, actor }) => {
    const changes = { enabled, operatorOrganization: operatorOrganizationId }
    await setOperationalEvents(prisma, changes, actor)
    return await readOperationalEvents(prisma)
  },
})
