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
  description: 'How a change was asked for.',
  values: {
    GRAPHQL: { value: 'graphql', description: 'Over GraphQL.' },
    REST: { value: 'rest', description: 'Over the REST API.' },
    CLI: { value: 'cli', description: 'On the command line.' },
    CONSOLE: {
      value: 'console',
      description: 'In the console, other than over GraphQL: signing in and out.',
    },
    SYSTEM: { value: 'system', description: 'By Posthorn itself.' },
  } as const,
})

const AuditEntry = builder.prismaNode('AuditEntry', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, AND: [readableBy(readerOf(callerOf(context)))] }),
  nullable: true,
  extensions: { readScope: 'keys:manage' },
  select: { id: true },
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'When it was done.',
      resolve: ({ id }) => timestampOf(id),
    }),
    action: t.exposeString('action'),
    subjectId: t.exposeString('subjectId'),
    apiKeyId: t.id({
      nullable: true,
      description:
        'The id of the API key that was used: `key_…`, of another organization when an operator did it. Null on the command line and for Posthorn itself.',
      select: { apiKeyId: true },
      resolve: ({ apiKeyId }) => (apiKeyId === null ? null : publicId('apiKey', apiKeyId)),
    }),
    source: t.expose('source', { type: AuditSource, description: 'How it was asked for.' }),
    address: t.exposeString('address', { nullable: true }),
    forwardedFor: t.exposeString('forwardedFor', { nullable: true }),
    userAgent: t.exposeString('userAgent', { nullable: true }),
    before: t.expose('before', { type: 'JSON', nullable: true }),
    after: t.expose('after', { type: 'JSON', nullable: true }),
  }),
})

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries of the audit log: those that meet all of what is given.',
  fields: (t) => ({
    since: t.field({ type: 'DateTime', description: 'Only what was done then or later.' }),
    until: t.field({ type: 'DateTime', description: 'Only what was done before.' }),
    action: t.string({
      description: `Only what was done so: one of ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}.`,
      validate: textRule,
    }),
    subjectId: t.string({
      description: 'Only what was done to the thing with this id or, of an event type, name.',
      validate: textRule,
    }),
    apiKeyId: t.id({ description: 'Only what was done with the key of this id: `key_…`.' }),
  }),
})

const AuditConnection = builder.connectionObject(
  { type: AuditEntry, name: 'AuditConnection', description: 'A page of the audit log.' },
  { name: 'AuditEdge', description: 'An entry in a page.' },
)

builder.queryField('auditLog', (t) =>
  t.prismaConnection(
    {
      type: 'AuditEntry',
      cursor: 'id',
      nullable: true,
      description:
        'What was changed in the organization, newest first: by whom, from where, and how; and who signed in to the console and out of it. For an operator, also what was changed in the installation: event types, and jobs that are no deliveries. Publishing is not in it, as events are on record themselves. Kept for POSTHORN_AUDIT_RETENTION, a year unless set. Needs the scope `keys:manage`.',
      authScopes: { scope: 'keys:manage' },
      args: {
        filter: t.arg({ type: AuditFilter, description: 'Which of them. Default: all.' }),
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
    throw invalid([wrong('action', detail)])
  }
  if (apiKeyId == null) return rest
  const apiKeyUuid = parseId('apiKey', apiKeyId)
  if (apiKeyUuid) return { ...rest, apiKeyUuid }
  throw invalid([wrong('apiKeyId', 'filter.apiKeyId must be the id of an API key: key_….')])
}

function wrong(field: string, detail: string): FieldIssue {
  return { path: ['filter', field], code: 'invalid_argument', detail }
}
