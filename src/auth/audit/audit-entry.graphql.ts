import type { GraphQLResolveInfo } from 'graphql'
import { publicId } from '../../db/ids.ts'
import { choicesRule, MAX_CHOICES } from '../../graphql/arguments.ts'
import { builder } from '../../graphql/builder.ts'
import type { Context } from '../../graphql/context.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { addList } from '../../graphql/list.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { AUDIT_ACTIONS } from './audit-entry.ts'
import {
  findAuditEntries,
  findSubjects,
  readableBy,
  type SubjectKind,
} from './find-audit-entries.ts'

const AuditSource = enumOf('AuditSource', 'The source of a change.', {
  graphql: 'The GraphQL API.',
  rest: 'The REST API.',
  cli: 'The command line.',
  console: 'The console, and signing in to it and out.',
  system: 'Posthorn itself.',
})

builder.prismaNode('AuditEntry', {
  id: { field: 'id' },
  findUnique: (id, { caller }) => ({ id, AND: [readableBy(caller, caller.organizationId)] }),
  nullable: true,
  extensions: { readScope: 'keys:manage' },
  select: { id: true },
  fields: (t) => ({
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the change was made.',
      resolve: ({ id }) => timestampOf(id),
    }),
    action: t.exposeString('action'),
    subjectId: t.exposeString('subjectId'),
    subjectName: t.string({
      nullable: true,
      description:
        'The present name of the changed object, to read beside its id: the description or the host of a webhook, or of the webhook of an incident, the name of an API key, event type or organization, the event type and the webhook of a delivery. Deleted webhooks and revoked API keys keep their names. Null for an object without a name, or that is past its retention.',
      resolve: async ({ id }, _args, context, info) => (await subjectOf(id, context, info)).name,
    }),
    subjectDeleted: t.boolean({
      description: 'Whether the changed object is a webhook that was deleted.',
      resolve: async ({ id }, _args, context, info) =>
        (await subjectOf(id, context, info)).isDeleted,
    }),
    apiKeyId: t.id({
      nullable: true,
      description:
        'The id of the API key that made the change: `key_…`. An operator may use a key of another organization. Null for the command line and for Posthorn itself.',
      select: { apiKeyId: true },
      resolve: ({ apiKeyId }) => (apiKeyId === null ? null : publicId('apiKey', apiKeyId)),
    }),
    source: t.expose('source', { type: AuditSource, description: 'The source of the change.' }),
    person: t.exposeString('person', { nullable: true }),
    address: t.exposeString('address', { nullable: true }),
    forwardedFor: t.exposeString('forwardedFor', { nullable: true }),
    userAgent: t.exposeString('userAgent', { nullable: true }),
    before: t.expose('before', { type: 'JSON', nullable: true }),
    after: t.expose('after', { type: 'JSON', nullable: true }),
  }),
})

const AuditSubjectKind = enumOf<SubjectKind>(
  'AuditSubjectKind',
  'The kind of object that a change is about.',
  {
    webhook: 'A webhook, or its signing secret.',
    api_key: 'An API key.',
    session: 'A portal or frontend session, or that of a person in the console.',
    delivery: 'A delivery.',
    bulk_task: 'A bulk task.',
    event_type: 'An event type.',
    organization: 'An organization.',
    incident: 'An incident of a webhook.',
    encryption: 'The encryption keys.',
    alerts: 'The switch of operational events, and the addresses of alerts.',
    consumer: 'A consumer of events.',
  },
)

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Selects audit log entries. An entry must match all given fields.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Entries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Entries created before this time.' }),
    actions: t.stringList({
      description: `Entries of one of these actions. At most ${MAX_CHOICES} of ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}.`,
      validate: choicesRule,
    }),
    subjectKinds: t.field({
      type: [AuditSubjectKind],
      description: 'Entries about objects of one of these kinds.',
      validate: choicesRule,
    }),
    subjectIds: t.stringList({
      description: `Entries about one of the objects with these ids, or of the event types with these names. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    apiKeyIds: t.idList({
      description: `Changes made with one of these API keys: \`key_…\`. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    people: t.stringList({
      description: `Entries of changes made by one of these people: the value of \`person\`, or only its email address. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    sources: t.field({
      type: [AuditSource],
      description: 'Entries of changes from one of these sources.',
      validate: choicesRule,
    }),
  }),
})

addList('Organization', 'auditLog', 'AuditEntry', {
  description:
    'The audit log of the organization, newest first: changes, readings of secrets, and sign-ins to the console and sign-outs. For an operator also changes that belong to no organization: event types, and jobs of other tasks than deliveries. Published events are not in the log. Entries are kept for POSTHORN_AUDIT_RETENTION (default: one year).',
  scope: 'keys:manage',
  args: (t) => ({
    filter: t.field({ type: AuditFilter, description: 'Selects entries. Default: all.' }),
  }),
  find: (query, organizationId, { filter }, context) => {
    const readable = readableBy(context.caller, organizationId)
    return findAuditEntries(context.prisma, readable, filter, query)
  },
})

function subjectOf(entryUuid: string, { sql, perField }: Context, info: GraphQLResolveInfo) {
  return perField(info, (uuids: string[]) => findSubjects(sql, uuids))(entryUuid)
}
