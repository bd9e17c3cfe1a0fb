import type { Db } from '../db/client.ts'
import type { AuditEntry, AuditSource, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { actionsAbout, type SubjectKind } from './subject-kind.ts'

type Selection = Pick<Prisma.AuditEntryFindManyArgs, 'select'>

/** A reader of the audit log. */
export interface AuditReader {
  readonly organizationId: string
  /** Operators also read the entries of the installation, which have no organization. */
  readonly isOperator: boolean
}

type AnyOf<Value> = readonly Value[] | null | undefined

/** Conditions on audit entries: for each field, one of the values. A missing or null field matches every entry. */
export interface AuditFilter {
  readonly actions?: AnyOf<string>
  readonly subjectKinds?: AnyOf<SubjectKind>
  readonly subjectIds?: AnyOf<string>
  readonly apiKeyUuids?: AnyOf<string>
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
 * conditions filter the entries of the organization, which the index on (organization_id, id) has in order.
 */
export async function findAuditEntries(
  db: Db,
  reader: AuditReader,
  filter: AuditFilter,
  query: Selection & Page,
): Promise<AuditEntry[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.auditEntry.findMany({
    ...page,
    where: { ...where, AND: [readableBy(reader), ...conditionsOf(filter)] },
  })
}

/** The condition on the entries that a reader can see. */
export function readableBy({ organizationId, isOperator }: AuditReader) {
  return isOperator ? { OR: [{ organizationId }, { organizationId: null }] } : { organizationId }
}

function conditionsOf(filter: AuditFilter): Prisma.AuditEntryWhereInput[] {
  const { actions, subjectKinds, subjectIds, apiKeyUuids, people, sources, since, until } = filter
  return [
    actions ? { action: { in: [...actions] } } : {},
    subjectKinds ? { action: { in: actionsAbout(subjectKinds) } } : {},
    subjectIds ? { subjectId: { in: [...subjectIds] } } : {},
    apiKeyUuids ? { apiKeyId: { in: [...apiKeyUuids] } } : {},
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
