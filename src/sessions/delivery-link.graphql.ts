import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { earliest, MAX_TTL_SECONDS, MIN_TTL_SECONDS } from './create-session.ts'
import { createDeliveryLink, DEFAULT_LINK_SECONDS, findDeliveryLinks } from './delivery-link.ts'
import type { PortalSession } from './portal-session.ts'

/** An API key of the kind `portal`. */
const DeliveryLink = builder.prismaObject('ApiKey', {
  variant: 'DeliveryLink',
  description:
    'A link with which anyone can read one delivery, without signing in, until it expires.',
  select: { id: true, deliveryId: true },
  fields: (t) => ({
    id: t.id({
      description:
        'The id of the session behind the link, which is an API key: `key_…`. `revokeApiKey` ends the link immediately.',
      resolve: ({ id }) => publicId('apiKey', id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it expires.',
      select: { expiresAt: true, grantor: { select: { expiresAt: true } } },
      // A CHECK constraint gives each session an expiry.
      resolve: ({ expiresAt, grantor }) => earliest(expiresAt as Date, grantor?.expiresAt),
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute. Null: never.',
    }),
  }),
})

builder.prismaObjectField('Delivery', 'links', (t) =>
  t.prismaField({
    type: [DeliveryLink],
    semanticNonNull: true,
    description:
      'The links to this delivery that have neither expired nor been revoked, newest first. A list and no connection, because people create them one by one.',
    authScopes: { scope: 'keys:manage' },
    select: { id: true },
    resolve: (query, { id }, _args, { perField, prisma }, info) =>
      perField(info, (ids: string[]) => findDeliveryLinks(prisma, ids, query))(id),
  }),
)

const NewDeliveryLink = builder.objectRef<PortalSession>('NewDeliveryLink').implement({
  description: 'A created link to a delivery.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The id: `key_…`. `revokeApiKey` ends the link immediately.',
    }),
    url: t.exposeString('url', {
      description:
        'The link. It grants access: give it only to those who may read the delivery. It is returned only once.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires.' }),
  }),
})

const CreateDeliveryLinkInput = builder.inputType('CreateDeliveryLinkInput', {
  description: 'A link to create.',
  fields: (t) => ({
    ttlSeconds: t.int({
      defaultValue: DEFAULT_LINK_SECONDS,
      description: `How long the link opens, in seconds: ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}, a day. It ends earlier if the calling key expires or is revoked. Default: a day.`,
    }),
  }),
})

builder.mutationField('createDeliveryLink', (t) =>
  t.field({
    type: NewDeliveryLink,
    nullable: true,
    description:
      'Creates a link to one delivery, to send to the people of its receiver: with it, anyone reads this delivery, its attempts and its payload, and nothing else, without signing in. The calling key needs the scopes `deliveries:read` and `events:read` too.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'link', description: 'The link.' },
      result: { description: 'The link was created.' },
      union: { description: 'The result of `createDeliveryLink`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the delivery: `msg_…`.' }),
      input: t.arg({
        type: CreateDeliveryLinkInput,
        required: true,
        description: 'The link.',
      }),
    },
    resolve: (_root, { id, input }, context) =>
      createDeliveryLink(
        context.prisma,
        id,
        input,
        context.origin(),
        callerOf(context),
        context.actor,
      ),
  }),
)
