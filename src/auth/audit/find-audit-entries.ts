import type { Db, Sql } from '../../db/client.ts'
import type { AuditEntry, AuditSource, Prisma } from '../../db/generated/prisma/client.ts'
import { requireId } from '../../db/ids.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../../lib/errors.ts'
import { lowerBoundAt } from '../../lib/uuid-v7.ts'
import { type Caller, hasScope } from '../access/scope.ts'
import { AUDIT_ACTIONS, type AuditAction } from './audit-entry.ts'

type Selection = Pick<Prisma.AuditEntryFindManyArgs, 'select'>

type AnyOf<Value> = readonly Value[] | null | undefined

/** Conditions on audit entries: for each field, one of the values. A missing or null field matches every entry. */
interface AuditFilter {
  readonly actions?: AnyOf<string>
  readonly subjectKinds?: AnyOf<SubjectKind>
  readonly subjectIds?: AnyOf<string>
  /** Public ids. */
  readonly apiKeyIds?: AnyOf<string>
  /** As in the entries, or only the email address. */
  readonly people?: AnyOf<string>
  readonly sources?: AnyOf<AuditSource>
  /** The earliest time of the action. */
  readonly since?: Date | null | undefined
  /** Before this time. */
  readonly until?: Date | null | undefined
}

/**
 * A page of the audit log, newest first. The index on (organization_id, subject_id, id) serves the subjects; other
 * conditions filter the entries of the organization, which the index on (organization_id, id) has in order. Throws `invalid`
 * for unknown actions and for an id of another kind.
 */
export async function findAuditEntries(
  db: Db,
  readable: Prisma.AuditEntryWhereInput,
  filter: AuditFilter | null | undefined,
  query: Selection & Page,
): Promise<AuditEntry[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.auditEntry.findMany({
    ...page,
    where: { ...where, AND: [readable, ...conditionsOf(filter ?? {})] },
  })
}

/** The condition on the entries of an organization that a caller can see; for operators, also those of no organization. */
export function readableBy(caller: Caller, organizationId: string): Prisma.AuditEntryWhereInput {
  if (!hasScope(caller, 'admin')) return { organizationId }
  return { OR: [{ organizationId }, { organizationId: null }] }
}

function conditionsOf(filter: AuditFilter): Prisma.AuditEntryWhereInput[] {
  const { actions, subjectKinds, subjectIds, people, sources, since, until } = filter
  const unknown = actions?.flatMap(unknownAction) ?? []
  if (unknown.length > 0) throw invalid(unknown)
  const apiKeys = filter.apiKeyIds?.map((id, index) =>
    requireId('apiKey', id, ['filter', 'apiKeyIds', `${index}`]),
  )
  return [
    actions ? { action: { in: [...actions] } } : {},
    subjectKinds ? { action: { in: actionsAbout(subjectKinds) } } : {},
    subjectIds ? { subjectId: { in: [...subjectIds] } } : {},
    apiKeys ? { apiKeyId: { in: apiKeys } } : {},
    people ? { OR: people.flatMap(isPerson) } : {},
    sources ? { source: { in: [...sources] } } : {},
    since ? { id: { gte: lowerBoundAt(since) } } : {},
    until ? { id: { lt: lowerBoundAt(until) } } : {},
  ]
}

/** Prisma does not escape the wildcards of `like`. */
function isPerson(person: string): Prisma.AuditEntryWhereInput[] {
  return [{ person }, { person: { endsWith: ` <${person.replaceAll(/[\\%_]/g, '\\$&')}>` } }]
}

type Noun = AuditAction extends `${infer Before}.${string}` ? Before : never

/** Of the nouns in actions that are no kind of their own. */
const KIND_OF_NOUN = {
  signing_secret: 'webhook',
  custom_headers: 'webhook',
  portal_session: 'session',
  frontend_session: 'session',
  operational_events: 'alerts',
  alert_address: 'alerts',
} as const satisfies Partial<Record<Noun, string>>

/** The kinds of objects that changes are about. */
export type SubjectKind = Exclude<Noun, keyof typeof KIND_OF_NOUN> | 'alerts'

/** The actions whose subjects are of one of these kinds. */
function actionsAbout(kinds: readonly SubjectKind[]): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => {
    const [noun = ''] = action.split('.')
    const kind = { ...KIND_OF_NOUN }[noun as keyof typeof KIND_OF_NOUN] ?? noun
    return kinds.includes(kind as SubjectKind)
  })
}

function unknownAction(action: string, index: number): FieldIssue[] {
  if (AUDIT_ACTIONS.some((known) => known === action)) return []
  const given = action.slice(0, 100)
  const detail = `There is no action ${JSON.stringify(given)}.${didYouMean(given, AUDIT_ACTIONS)}`
  return [{ path: ['filter', 'actions', index], code: 'invalid_argument', detail }]
}

/** The object that an audit entry is about. */
interface Subject {
  /** The present name. Null for a subject that has no name or that no row describes any more. */
  readonly name: string | null
  /** Whether the subject is a webhook that was deleted. */
  readonly isDeleted: boolean
}

/** In the order of the uuids of the entries: also deleted webhooks and revoked keys, whose rows stay. */
export async function findSubjects(sql: Sql, entryUuids: readonly string[]): Promise<Subject[]> {
  const { rows } = await sql.query<Subject>({
    name: 'find_subjects',
    text: FIND_SUBJECTS,
    values: [entryUuids],
  })
  return rows
}

/** Reads every table by its primary key. An event type has no id but its name. */
const FIND_SUBJECTS = `
  with entry as (
    select n, organization_id, action, subject_id
    from unnest($1::uuid[]) with ordinality as given (id, n)
    left join posthorn.audit_log using (id)
  )
  select
    case
      when entry.action like 'event_type.%' then entry.subject_id
      when delivery.id is not null then delivery.event_type || ' to ' || webhook.name
      else coalesce(webhook.name, consumer.name, key.name, key.token_hint || '…', organization.name)
    end as name,
    coalesce(webhook.is_subject and webhook.is_deleted, false) as "isDeleted"
  from entry
  left join posthorn.deliveries as delivery
    on delivery.id = posthorn.parse_type_id('msg', entry.subject_id)
    and delivery.organization_id = entry.organization_id
  left join posthorn.api_keys as key
    on key.id = posthorn.parse_type_id('key', entry.subject_id)
    and key.organization_id = entry.organization_id
  left join posthorn.organizations as organization
    on organization.id = posthorn.parse_type_id('org', entry.subject_id)
    and organization.id = entry.organization_id
  left join posthorn.incidents as incident
    on incident.id = posthorn.parse_type_id('inc', entry.subject_id)
    and incident.organization_id = entry.organization_id
  left join posthorn.event_consumers as consumer
    on consumer.id = posthorn.parse_type_id('con', entry.subject_id)
    and consumer.organization_id = entry.organization_id
  left join lateral (
    select coalesce(nullif(description, ''), substring(url from '^https://([^/?#]+)')) as name,
      deleted_at is not null as is_deleted, id = posthorn.parse_type_id('wh', entry.subject_id) as is_subject
    from posthorn.webhooks
    where id = coalesce(posthorn.parse_type_id('wh', entry.subject_id), delivery.webhook_id, incident.webhook_id)
      and organization_id = entry.organization_id
  ) as webhook on true
  order by entry.n`
