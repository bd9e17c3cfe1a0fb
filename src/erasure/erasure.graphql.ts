import { builder } from '../graphql/builder.ts'
import { withinReach } from '../graphql/context.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { findErasures } from './find-erasures.ts'
import type { Selection } from './selection.ts'
import { UnsentDeliveries } from './unsent-deliveries.ts'

const ErasureState = builder.enumType('ErasureState', {
  description: 'The state of an erasure.',
  values: {
    RUNNING: {
      value: 'running',
      description: 'Contents are being erased, or wait until their deliveries are sent.',
    },
    COMPLETED: { value: 'completed', description: 'All contents are erased.' },
    FAILED: { value: 'failed', description: 'The erasure failed. `failure` says why.' },
  } as const,
})

const ErasedPlace = builder.enumType('ErasedPlace', {
  description: 'A place where contents were erased.',
  values: {
    EVENTS: { value: 'events', description: 'Events: `data` and `previous`.' },
    SEARCH_KEYS: { value: 'searchKeys', description: 'Search keys of events.' },
    RESPONSES: {
      value: 'responses',
      description: 'Attempts: the headers and the body of the response.',
    },
    CANCELED_DELIVERIES: {
      value: 'canceledDeliveries',
      description: 'Deliveries that were canceled, because they were not sent yet.',
    },
  } as const,
})

type Place = typeof ErasedPlace.$inferType

const ErasedCount = builder
  .objectRef<{ readonly place: Place; readonly count: number }>('ErasedCount')
  .implement({
    description: 'What an erasure erased in a place.',
    fields: (t) => ({
      place: t.expose('place', { type: ErasedPlace, description: 'The place.' }),
      count: t.exposeInt('count', { description: 'The number of rows that were changed there.' }),
    }),
  })

const Erasure = builder.prismaNode('Erasure', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: { readScope: 'data:erase' },
  select: { id: true, organizationId: true },
  fields: (t) => ({
    state: t.field({
      type: ErasureState,
      description: 'The state of the erasure.',
      select: { state: true },
      resolve: ({ state }) => state as typeof ErasureState.$inferType,
    }),
    failure: t.exposeString('failure', { nullable: true }),
    unsent: t.field({
      type: UnsentDeliveries,
      description: 'What becomes of the deliveries that are not sent yet.',
      select: { unsent: true },
      resolve: ({ unsent }) => unsent as typeof UnsentDeliveries.$inferType,
    }),
    searchKey: t.string({
      nullable: true,
      description:
        'The search key whose value was erased, such as `$.customer.email`. The value itself is not kept. Null for an erasure by ids.',
      select: { selection: true },
      resolve: ({ selection }) => {
        const read = selection as Selection
        return 'searchKey' in read ? read.searchKey : null
      },
    }),
    total: t.exposeInt('total'),
    totalIsExact: t.exposeBoolean('totalIsExact'),
    waiting: t.exposeInt('waiting'),
    erased: t.field({
      type: [ErasedCount],
      description:
        'What was erased so far, by place. Places where nothing was erased are left out.',
      select: { erased: true },
      resolve: ({ erased }) => {
        const counts = Object.entries(erased as Record<Place, number>) as [Place, number][]
        return counts.filter(([, count]) => count > 0).map(([place, count]) => ({ place, count }))
      },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the erasure was started.',
      resolve: ({ id }) => timestampOf(id),
    }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
  }),
})

const ErasureConnection = builder.connectionObject(
  { type: Erasure, name: 'ErasureConnection', description: 'A page of erasures.' },
  { name: 'ErasureEdge', description: 'An erasure in a page.' },
)

organizationFields((t) => ({
  erasures: t.prismaConnection(
    {
      type: 'Erasure',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The erasures of the organization, newest first. They are kept.',
      authScopes: { scope: 'data:erase' },
      resolve: (query, organization, _args, context) =>
        findErasures(context.prisma, organizationOf(organization, context), query),
    },
    ErasureConnection,
  ),
}))
