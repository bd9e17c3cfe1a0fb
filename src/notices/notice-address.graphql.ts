import { type Caller, hasScope, requireScope } from '../access/scope.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, ValidationError } from '../graphql/errors.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { DomainError } from '../lib/errors.ts'
import {
  type AddressOwner,
  addNoticeAddress,
  listNoticeAddresses,
  MAX_ADDRESSES,
  removeNoticeAddress,
  updateNoticeAddress,
} from './notice-address.ts'
import { OPERATIONAL_EVENT_TYPES, type OperationalEventType } from './operational-event-types.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** Whether the installation has a mail server. */
    readonly sendsEmail: boolean
  }
}

const NoticeKind = builder.enumType('NoticeKind', {
  description: 'A kind of notice, by the operational event type that it has as an event.',
  values: Object.fromEntries(
    OPERATIONAL_EVENT_TYPES.map((type) => [
      type.replace('posthorn.', '').replace('.', '_').toUpperCase(),
      { value: type, description: `\`${type}\`.` },
    ]),
  ) as Record<string, { value: OperationalEventType; description: string }>,
})

const NoticeStopReason = builder.enumType('NoticeStopReason', {
  description: 'Why the mails to an address were stopped.',
  values: {
    UNSUBSCRIBED: { value: 'unsubscribed', description: 'Its owner unsubscribed.' },
    REJECTED: { value: 'rejected', description: 'The mail server rejected the address for good.' },
  } as const,
})

const NoticeAddress = builder.prismaObject('NoticeAddress', {
  description: 'An e-mail address that gets notices once it is confirmed.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'The id: `addr_…`.',
      resolve: ({ id }) => publicId('noticeAddress', id),
    }),
    email: t.exposeString('email'),
    kinds: t.field({
      type: [NoticeKind],
      description: 'The kinds of notices that the address gets.',
      select: { kinds: true },
      resolve: ({ kinds }) => kinds as OperationalEventType[],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    confirmedAt: t.expose('confirmedAt', { type: 'DateTime', nullable: true }),
    stoppedAt: t.expose('stoppedAt', { type: 'DateTime', nullable: true }),
    stopReason: t.field({
      type: NoticeStopReason,
      nullable: true,
      description: 'Why the mails to the address were stopped. Null if they were not.',
      select: { stopReason: true },
      resolve: ({ stopReason }) => stopReason as 'unsubscribed' | 'rejected' | null,
    }),
    rejection: t.exposeString('rejection', { nullable: true }),
    portalPageUrl: t.exposeString('portalPageUrl', { nullable: true }),
  }),
})

organizationFields((t) => ({
  noticeAddresses: t.prismaField({
    type: [NoticeAddress],
    semanticNonNull: true,
    description: `The e-mail addresses that get notices about the organization, oldest first; at most ${MAX_ADDRESSES}, so no connection.`,
    authScopes: { scope: 'webhooks:read' },
    args: {
      ofAllOrganizations: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'True: those that get the notices about all organizations, which needs the scope `admin`. Default: false.',
      }),
    },
    resolve: (_query, parent, { ofAllOrganizations }, context) => {
      const organizationId = organizationOf(parent, context)
      if (ofAllOrganizations) requireScope(callerOf(context), 'admin')
      return listNoticeAddresses(context.prisma, ofAllOrganizations ? null : organizationId)
    },
  }),
}))

const PORTAL_PAGE =
  'The page of your application that shows the portal, to which the links in mails lead: `https://…` without `#`, at most 2,048 characters. `<posthorn-portal>` opens at the webhook of the link. Only for addresses of an organization.'

const AddNoticeAddressInput = builder.inputType('AddNoticeAddressInput', {
  description: 'An e-mail address to add.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'One address of at most 254 characters.' }),
    kinds: t.field({
      type: [NoticeKind],
      required: true,
      description: 'The kinds of notices; at least one.',
    }),
    portalPageUrl: t.string({ description: `${PORTAL_PAGE} Default: the console.` }),
    ofAllOrganizations: t.boolean({
      defaultValue: false,
      description:
        'Whether the address gets the notices about all organizations, which needs the scope `admin`. Default: false, those of the own organization.',
    }),
  }),
})

const UpdateNoticeAddressInput = builder.inputType('UpdateNoticeAddressInput', {
  description: 'What an e-mail address gets.',
  fields: (t) => ({
    kinds: t.field({
      type: [NoticeKind],
      required: true,
      description: 'The kinds of notices; at least one.',
    }),
    portalPageUrl: t.string({
      description: `${PORTAL_PAGE} Null: the console. Default: unchanged.`,
    }),
  }),
})

const SESSIONS = 'A portal or frontend session also needs the scope `alerts:write`.'

const subject = { required: true, description: 'The id of the address: `addr_…`.' } as const
const dataField = { name: 'noticeAddress', description: 'The address.' }

builder.mutationFields((t) => ({
  addNoticeAddress: t.prismaField({
    type: NoticeAddress,
    nullable: true,
    description: `Adds an e-mail address. It is sent a link, which works for 7 days, and gets notices once the link was used. An address gets at most ten mails an hour, and at most one of these has a link to confirm it; what is more waits. Each mail has a link to unsubscribe. ${SESSIONS}`,
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField,
      result: { description: 'The address was added.' },
      union: { description: 'The result of `addNoticeAddress`.' },
    },
    args: {
      input: t.arg({ type: AddNoticeAddressInput, required: true, description: 'The address.' }),
    },
    resolve: async (_query, _root, { input }, context) => {
      const { ofAllOrganizations, ...address } = input
      const { prisma, actor, sendsEmail } = context
      const caller = changerOf(context)
      if (!sendsEmail) {
        throw new DomainError(
          'conflict',
          'Posthorn sends no e-mail here. Set POSTHORN_SMTP_URL and POSTHORN_EMAIL_FROM.',
        )
      }
      if (ofAllOrganizations && !hasScope(caller, 'admin')) {
        throw new DomainError('forbidden', 'ofAllOrganizations needs the scope admin.')
      }
      const owner = ofAllOrganizations ? null : caller.organizationId
      return await addNoticeAddress(prisma, owner, address, actor)
    },
  }),

  updateNoticeAddress: t.prismaField({
    type: NoticeAddress,
    nullable: true,
    description: `Sets what an e-mail address gets. An address that was rejected is tried again. One that is not confirmed, or has unsubscribed, is sent another link, and gets notices once it was used. An address of all organizations needs the scope \`admin\`. ${SESSIONS}`,
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField,
      result: { description: 'The address was changed.' },
      union: { description: 'The result of `updateNoticeAddress`.' },
    },
    args: {
      id: t.arg.id(subject),
      input: t.arg({ type: UpdateNoticeAddressInput, required: true, description: 'The kinds.' }),
    },
    resolve: (_query, _root, { id, input }, context) =>
      updateNoticeAddress(context.prisma, ownersOf(context), id, input, context.actor),
  }),

  removeNoticeAddress: t.field({
    type: 'ID',
    nullable: true,
    description: `Removes an e-mail address, also with what waits for it. ${SESSIONS}`,
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [NotFoundError],
      dataField: { name: 'removedId', description: 'The id of the removed address.' },
      result: { description: 'The address was removed.' },
      union: { description: 'The result of `removeNoticeAddress`.' },
    },
    args: { id: t.arg.id(subject) },
    resolve: async (_root, { id }, context) => {
      await removeNoticeAddress(context.prisma, ownersOf(context), id, context.actor)
      return id
    },
  }),
}))

/** Whose addresses the caller may change. */
function ownersOf(context: Context): AddressOwner[] {
  const caller = changerOf(context)
  return [caller.organizationId, ...(hasScope(caller, 'admin') ? [null] : [])]
}

/** The people who use a session are customers of the organization, which decides whether they cause mails. */
function changerOf(context: Context): Caller {
  const caller = callerOf(context)
  if (caller.session) requireScope(caller, 'alerts:write')
  return caller
}
