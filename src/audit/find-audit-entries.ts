import type { Db } from '../db/client.ts'
import type { AuditEntry, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../db/page.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

type Selection = Pick<Prisma.AuditEntryFindManyArgs, 'select'>

/** A reader of the audit log. */
export interface AuditReader {
  readonly organizationId: string
  /** Operators also read the entries of the installation, which have no organization. */
  readonly isOperator: boolean
}

/** Conditions on audit entries. A missing or null field matches every entry. */
export interface AuditFilter {
  readonly action?: string | null | undefined
  readonly subjectId?: string | null | undefined
  readonly apiKeyUuid?: string | null | undefined
  /** The earliest time of the action. */
  readonly since?: Date | null | undefined
  /** Before this time. */
  readonly until?: Date | null | undefined
}

/** A page of the audit log, newest first. */
export async function findAuditEntries(
  db: Db,
  reader: AuditReader,
  { action, subjectId, apiKeyUuid, since, until }: AuditFilter,
  query: Selection & Page,
): Promise<AuditEntry[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.auditEntry.findMany({
    ...page,
    where: {
      ...where,
      ...(typeof action === 'string' && { action }),
      ...(typeof subjectId === 'string' && { subjectId }),
      ...(typeof apiKeyUuid === 'string' && { apiKeyId: apiKeyUuid }),
      AND: [
        readableBy(reader),
        ...(since ? [{ id: { gte: lowerBoundAt(since) } }] : []),
        ...(until ? [{ id: { lt: lowerBoundAt(until) } }] : []),
      ],
    },
  })
}

/** The condition on the entries that a reader can see. */
export function readableBy({ organizationId, isOperator }: AuditReader) {
  return isOperator ? { OR: [{ organizationId }, { organizationId: null }] } : { organizationId }
}
