import { type Caller, hasScope } from '../access/scope.ts'
import { parseId, publicId } from '../db/ids.ts'
import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { AUDIT_ACTIONS } from './audit-entry.ts'
import {
  type AuditFilter as AuditFilterOfDomain,
  type AuditReader,
  findAuditEntries,
  readableBy,
} from './find-audit-entries.ts'

const AuditSource = builder.enumType('AuditSource', {
  description: 'The source of a change.',
  values: {
    GRAPHQL: { value: 'graphql', description: 'The GraphQL API.' },
    REST: { value: 'rest', description: 'The REST API.' },
    CLI: { value: 'cli', description: 'The command line.' },
    CONSOLE: {
      value: 'console',
      description: 'The console, and signing in to it and out.',
    },
    SYSTEM: { value: 'system', description: 'Posthorn itself.' },
  } as const,
})

const AuditEntry = builder.prismaNode('AuditEntry', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, AND: [readableBy(readerOf(callerOf(context)))] }),
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
    apiKeyId: t.id({
      nullable: true,
      description:
        'The id of the API key that made the change: `key_…`. An operator may use a key of another organization. Null for the command line and for Posthorn itself.',
      select: { apiKeyId: true },
      resolve: ({ apiKeyId }) => (apiKeyId === null ? null : publicId('apiKey', apiKeyId)),
    }),
    person: t.exposeString('person', { nullable: true }),
    source: t.expose('source', { type: AuditSource, description: 'The source of the change.' }),
    address: t.exposeString('address', { nullable: true }),
    forwardedFor: t.exposeString('forwardedFor', { nullable: true }),
    userAgent: t.exposeString('userAgent', { nullable: true }),
    before: t.expose('before', { type: 'JSON', nullable: true }),
    after: t.expose('after', { type: 'JSON', nullable: true }),
  }),
})

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Selects audit log entries. An entry must match all given fields.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Entries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Entries created before this time.' }),
    action: t.string({
      description: `Entries of this action: one of ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}.`,
      validate: textRule,
    }),
    subjectId: t.string({
      description: 'Entries about the object with this id, or the event type with this name.',
      validate: textRule,
    }),
    apiKeyId: t.id({ description: 'Entries of changes made with this API key: `key_…`.' }),
  }),
})

const AuditConnection = builder.connectionObject(
  { type: AuditEntry, name: 'AuditConnection', description: 'A page of the audit log.' },
  { name: 'AuditEdge', description: 'An audit log entry in a page.' },
)

builder.queryField('auditLog', (t) =>
  t.prismaConnection(
    {
      type: 'AuditEntry',
      cursor: 'id',
      semanticNonNull: true,
      description:
        'The audit log of the organization, newest first: changes, readings of secrets, and sign-ins to the console and sign-outs. For an operator also changes that belong to no organization: event types, and jobs of other tasks than deliveries. Published events are not in the log. Entries are kept for POSTHORN_AUDIT_RETENTION (default: one year). Needs the scope `keys:manage`.',
      authScopes: { scope: 'keys:manage' },
      args: {
        filter: t.arg({ type: AuditFilter, description: 'Selects entries. Default: all.' }),
      },
      resolve: (query, _root, { filter }, context) => {
        const reader = readerOf(callerOf(context))
        return findAuditEntries(context.prisma, reader, readFilter(filter), query)
      },
    },
    AuditConnection,
  ),
)

function readerOf(caller: Caller): AuditReader {
  return { organizationId: caller.organizationId, isOperator: hasScope(caller, 'admin') }
}

function readFilter(
  filter: typeof AuditFilter.$inferInput | null | undefined,
): AuditFilterOfDomain {
  const { apiKeyId, ...rest } = filter ?? {}
  const { action } = rest
  if (typeof action === 'string' && !AUDIT_ACTIONS.some((known) => known === action)) {
    const given = action.slice(0, 100)
    const detail = `There is no action ${JSON.stringify(given)}.${didYouMean(given, AUDIT_ACTIONS)}`
    throw invalid([invalidField('action', detail)])
  }
  if (apiKeyId == null) return rest
  const apiKeyUuid = parseId('apiKey', apiKeyId)
  if (apiKeyUuid) return { ...rest, apiKeyUuid }
  throw invalid([invalidField('apiKeyId', 'filter.apiKeyId must be the id of an API key: key_….')])
}

function invalidField(field: string, detail: string): FieldIssue {
  return { path: ['filter', field], code: 'invalid_argument', detail }
}
