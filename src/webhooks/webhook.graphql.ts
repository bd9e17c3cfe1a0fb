import { publicId } from '../db/ids.ts'
import { choicesRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { withinReach } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { lookUp } from '../graphql/look-up.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { findsWebhook, type RestrictedSession } from '../graphql/portal-access.ts'
import { addSettingFields } from '../graphql/setting-fields.ts'
import { ownNameFilters } from '../organizations/own-names/own-name-filters.ts'
import { exactlyOneName } from '../organizations/own-names/uid.ts'
import { DEFAULT_HEADER_PREFIX } from './custom-headers.ts'
import { WebhookState } from './delivery-enums.ts'
import {
  countWebhooks,
  findNamedWebhook,
  findWebhooks,
  findWebhooksByIds,
} from './find-webhooks.ts'
import type { WebhookDeps } from './webhook.ts'
import { WEBHOOK_SETTINGS } from './webhook-settings.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    readonly webhooks: WebhookDeps
  }
}

const Webhook = builder.prismaNode('Webhook', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context), deletedAt: null }),
  nullable: true,
  extensions: { readScope: 'webhooks:read', ofWebhook: itself },
  select: { id: true, organizationId: true },
  fields: (t) => ({
    deliveryHeaderPrefix: t.string({
      description:
        'The prefix that the delivery headers `id`, `timestamp` and `signature` have: the `headerPrefix` of the webhook, or else that of the operator (POSTHORN_HEADER_PREFIX). Default: `wh-`.',
      select: { headerPrefix: true },
      resolve: ({ headerPrefix }, _args, { webhooks }) =>
        headerPrefix ?? webhooks.headerPrefix ?? DEFAULT_HEADER_PREFIX,
    }),
    filter: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The filter: what the webhook asks of the `data` of an event before a delivery is created. Null if it has none. Numbers are doubles; `filterText` has their digits.',
      select: { filter: true },
      resolve: ({ filter }) => filter && JSON.parse(filter),
    }),
    filterText: t.string({
      nullable: true,
      description: 'The text of the filter as JSON. Null if there is none.',
      select: { filter: true },
      resolve: ({ filter }) => filter,
    }),
    endpointVerifiedAt: t.expose('endpointVerifiedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the endpoint of the URL answered a challenge. Null: never.',
    }),
    revision: t.int({
      description:
        'The revision, which each change and each rotation of the secret increases. As `ifRevision` of `updateWebhook`, it reports changes by others.',
      select: { revision: true },
      resolve: ({ revision }) => Number(revision),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the webhook was created.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the webhook was last changed.',
    }),
  }),
})

/** Settings that are stored in another form, whose fields are here and in other files. */
const {
  eventSubscriptions: _subscriptions,
  filter: _filter,
  retryScheduleSeconds,
  selection: _selection,
  template: _template,
  ...columns
} = WEBHOOK_SETTINGS

addSettingFields('Webhook', columns)

builder.prismaObjectFields('Webhook', (t) => ({
  retryScheduleSeconds: t.intList({
    nullable: true,
    description: retryScheduleSeconds.description,
    select: { ownRetrySchedule: true, retryScheduleSeconds: true },
    resolve: ({ ownRetrySchedule, retryScheduleSeconds }) =>
      ownRetrySchedule ? retryScheduleSeconds : null,
  }),
}))

const WebhookFilter = builder.inputType('WebhookFilter', {
  description: 'Selects webhooks. A webhook must match all given fields.',
  fields: (t) => ({
    search: t.string({
      description: 'Webhooks with this text in URL, description or uid, ignoring case.',
    }),
    subscribesTo: t.string({
      description: 'Webhooks that subscribe to the event type with this name.',
    }),
    states: t.field({
      type: [WebhookState],
      description: 'Webhooks in one of these states.',
      validate: choicesRule,
    }),
    ...ownNameFilters(t, 'webhook'),
  }),
})

const WebhookOrder = enumOf(
  'WebhookOrder',
  'The order of webhooks. Equal ones come newest first. A value that changes between two pages can repeat or skip a webhook.',
  {
    'newest first': 'By the time of their creation.',
    'attention first':
      'By damage: webhooks on hold, then those that are failing, behind, degraded, then the others, disabled ones last; in each group as MOST_WAITING. A state that changes between two pages can repeat or skip a webhook.',
    'most waiting': 'By the number of waiting deliveries, which is counted once a minute.',
    name: 'By the description or, without one, by the URL, from A to Z.',
  },
)

const WebhookConnection = builder.connectionObject(
  {
    type: Webhook,
    name: 'WebhookConnection',
    description: 'A page of webhooks.',
    fields: (t) => ({
      totalCount: t.int({
        description: 'The number of webhooks on all pages.',
        resolve: (connection) => (connection as unknown as Countable).totalCount(),
      }),
    }),
  },
  { name: 'WebhookEdge', description: 'A webhook in a page.' },
)

/** The count is a function on the connection, so that it runs only if the field is selected. */
interface Countable {
  readonly totalCount: () => Promise<number>
}

organizationFields((t) => ({
  webhook: t.prismaField({
    type: 'Webhook',
    nullable: true,
    description: 'The webhook with this id or uid, or null.',
    authScopes: { scope: 'webhooks:read' },
    portal: findsWebhook,
    args: {
      id: t.arg.id({ description: 'The id of a webhook: `wh_…`.' }),
      uid: t.arg.string({
        description: 'The uid of a webhook, in the place of the id.',
      }),
    },
    resolve: (query, organization, args, context) => {
      const organizationId = organizationOf(organization, context)
      // Set only for a session that is restricted to one webhook.
      const { only } = args as { readonly only?: string }
      return findNamedWebhook(context.prisma, organizationId, exactlyOneName(args), only, query)
    },
  }),
  webhooks: t.prismaConnection(
    {
      type: 'Webhook',
      cursor: 'id',
      semanticNonNull: true,
      description: 'The webhooks of the organization.',
      authScopes: { scope: 'webhooks:read' },
      portal: (args, { webhookId }) => ({ ...args, filter: { ...args.filter, uuid: webhookId } }),
      args: {
        filter: t.arg({ type: WebhookFilter, description: 'Selects webhooks. Default: all.' }),
        orderBy: t.arg({
          type: WebhookOrder,
          required: true,
          defaultValue: 'newest first',
          description: 'The order. Default: NEWEST_FIRST.',
        }),
      },
      resolve: (query, organization, { filter, orderBy }, context) =>
        findWebhooks(context, organizationOf(organization, context), filter ?? {}, query, orderBy),
      totalCount: (organization, { filter }, context) =>
        countWebhooks(context.prisma, organizationOf(organization, context), filter ?? {}),
    },
    WebhookConnection,
  ),
}))

/** All have the columns that the fields read. */
for (const type of ['Attempt', 'Delivery', 'Incident'] as const) {
  builder.prismaObjectFields(type as 'Attempt', (t) => ({
    webhookId: t.id({
      description: 'The id of the webhook, also after the webhook was deleted.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => publicId('webhook', webhookId),
    }),
    webhook: t.prismaField({
      type: Webhook,
      nullable: true,
      description: 'The webhook. Null if it was deleted.',
      authScopes: { scope: 'webhooks:read' },
      select: { webhookId: true, organizationId: true },
      resolve: (query, { webhookId, organizationId }, _args, context, info) =>
        lookUp(findWebhooksByIds, query, context, info, organizationId)(webhookId),
    }),
  }))
}

function itself({ webhookId }: RestrictedSession): ReadonlySet<string> {
  return new Set([webhookId])
}
