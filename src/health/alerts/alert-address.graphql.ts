import { type Caller, requireScope } from '../../auth/access/scope.ts'
import { publicId } from '../../db/ids.ts'
import { builder } from '../../graphql/builder.ts'
import { ConflictError } from '../../graphql/errors.ts'
import { mutation } from '../../graphql/mutation.ts'
import { organizationFields, organizationOf } from '../../graphql/organization-fields.ts'
import { DomainError } from '../../lib/errors.ts'
import {
  listAlertAddresses,
  MAX_ADDRESSES,
  removeAlertAddress,
  setAlertAddress,
} from './alert-address.ts'
import { OPERATIONAL_EVENT_TYPES, type OperationalEventType } from './operational-event-types.ts'

declare module '../../graphql/context.ts' {
  interface DomainDeps {
    /** Whether the installation has a mail server. */
    readonly sendsEmail: boolean
  }
}

const AlertKind = builder.enumType('AlertKind', {
  description: 'A kind of alert, by the type that it has as an operational event.',
  values: Object.fromEntries(
    OPERATIONAL_EVENT_TYPES.map((type) => [
      type.replace('posthorn.', '').replace('.', '_').toUpperCase(),
      { value: type, description: `\`${type}\`.` },
    ]),
  ) as Record<string, { value: OperationalEventType; description: string }>,
})

const AlertAddress = builder.prismaObject('AlertAddress', {
  description: 'An e-mail address that gets alerts once it is confirmed.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'The id: `addr_…`.',
      resolve: ({ id }) => publicId('alertAddress', id),
    }),
    email: t.exposeString('email'),
    kinds: t.field({
      type: [AlertKind],
      description: 'The kinds of alerts that the address gets.',
      select: { kinds: true },
      resolve: ({ kinds }) => kinds as OperationalEventType[],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true }),
    rejection: t.exposeString('rejection', { nullable: true }),
    portalPageUrl: t.exposeString('portalPageUrl', { nullable: true }),
  }),
})

organizationFields((t) => ({
  alertAddresses: t.prismaField({
    type: [AlertAddress],
    semanticNonNull: true,
    description: `The e-mail addresses that get alerts about the organization, oldest first; at most ${MAX_ADDRESSES}, so no connection.`,
    authScopes: { scope: 'webhooks:read' },
    resolve: (_query, parent, _args, context) =>
      listAlertAddresses(context.prisma, organizationOf(parent, context)),
  }),
}))

const SESSIONS = 'A portal or frontend session also needs the scope `alerts:write`.'

mutation('setAlertAddress', {
  description: `Adds an e-mail address, or changes what it gets. An address that is not confirmed is sent a link, which works for 7 days, and gets alerts once the link was used. An address gets at most ten mails an hour, and at most one of these has a link to confirm it, which waits if need be. Each mail has a link to unsubscribe. ${SESSIONS}`,
  scope: 'webhooks:write',
  input: {
    description: 'An e-mail address, and what it gets.',
    fields: (t) => ({
      email: t.string({ required: true, description: 'One address of at most 254 characters.' }),
      kinds: t.field({
        type: [AlertKind],
        required: true,
        description: 'The kinds of alerts; at least one.',
      }),
      portalPageUrl: t.string({
        description:
          'The page of your application that shows the portal, to which the links in mails lead: `https://…` without `#`, at most 2,048 characters. `<posthorn-portal>` opens at the webhook of the link. Null: the console. Default: unchanged.',
      }),
    }),
  },
  errors: [ConflictError],
  returns: ['alertAddress', AlertAddress, 'The address.'],
  run: async ({ input }, { prisma, actor, sendsEmail }, caller) => {
    requireChanger(caller)
    if (!sendsEmail) {
      throw new DomainError(
        'conflict',
        'Posthorn sends no e-mail here. Set POSTHORN_SMTP_URL, POSTHORN_EMAIL_FROM and POSTHORN_PUBLIC_URL.',
      )
    }
    return await setAlertAddress(prisma, caller.organizationId, input, actor)
  },
})

mutation('removeAlertAddress', {
  description: `Removes an e-mail address, also with what waits for it. ${SESSIONS}`,
  scope: 'webhooks:write',
  id: 'alertAddress',
  returns: ['removedId', 'ID', 'The id of the removed address.'],
  run: async ({ id }, { prisma, actor }, caller) => {
    requireChanger(caller)
    await removeAlertAddress(prisma, caller.organizationId, id, actor)
    return id
  },
})

/** The people who use a session are customers of the organization, which decides whether they cause mails. */
function requireChanger(caller: Caller): void {
  if (caller.session) requireScope(caller, 'alerts:write')
}
