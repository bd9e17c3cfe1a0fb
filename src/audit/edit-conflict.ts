import type { Db } from '../db/client.ts'
import type { AuditEntry } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError, invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { AuditAction } from './audit-entry.ts'

/** A field of an update that another caller has changed. */
export interface FieldConflict {
  readonly name: string
  /** The present value. */
  readonly current: unknown
  /** Null if the audit log no longer has the change. */
  readonly changedAt: Date | null
  /** The person, or the API key by its name or id. Null for the command line, or if the audit log has no such entry. */
  readonly changedBy: string | null
}

/** Fields of an update were changed after the revision that the caller read. Nothing was changed. */
export class EditConflict extends DomainError {
  /** The present revision. */
  readonly revision: number
  readonly fields: readonly FieldConflict[]

  constructor(revision: number, fields: readonly FieldConflict[]) {
    const names = fields.map(({ name }) => name).join(', ')
    super(
      'conflict',
      `Somebody else changed ${names} in the meantime. Nothing was changed. To overwrite the change, repeat the call with ifRevision ${revision}.`,
    )
    this.revision = revision
    this.fields = fields
  }
}

/** An object whose every revision has exactly one audit entry, of one of the actions. */
interface Edited {
  readonly organizationId: string | null
  readonly subjectId: string
  readonly revision: bigint
  readonly actions: readonly AuditAction[]
}

/** More changes since a form was opened are not read: all fields count as changed then. */
const MAX_ENTRIES = 100

/**
 * Throws an `EditConflict` if a field to change was changed after the revision that the caller read, if any. `current` has
 * the present values of the fields to change. Call it in the transaction of the update, with the object locked.
 */
export async function checkEditConflict(
  tx: Db,
  { organizationId, subjectId, revision, actions }: Edited,
  ifRevision: number | undefined,
  current: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (ifRevision === undefined) return
  const count = Number(revision) - ifRevision
  if (count < 0 || ifRevision < 1) throw unknownRevision(ifRevision, revision)
  if (count === 0) return
  const entries = await tx.auditEntry.findMany({
    where: { organizationId, subjectId, action: { in: [...actions] } },
    orderBy: { id: 'desc' },
    take: Math.min(count, MAX_ENTRIES),
  })
  const isComplete = entries.length === count
  const fields = await Promise.all(
    Object.entries(current).flatMap(([name, value]) => {
      const entry = entries.find(({ after }) => changes(after, name))
      return entry || !isComplete ? [fieldConflict(tx, name, value, entry)] : []
    }),
  )
  if (fields.length > 0) throw new EditConflict(Number(revision), fields)
}

function changes(after: unknown, name: string): boolean {
  return typeof after === 'object' && after !== null && Object.hasOwn(after, name)
}

async function fieldConflict(
  tx: Db,
  name: string,
  current: unknown,
  entry: AuditEntry | undefined,
): Promise<FieldConflict> {
  return {
    name,
    current,
    changedAt: entry ? timestampOf(entry.id) : null,
    changedBy: entry ? await actorName(tx, entry) : null,
  }
}

async function actorName(tx: Db, { person, apiKeyId }: AuditEntry): Promise<string | null> {
  if (person !== null || apiKeyId === null) return person
  const key = await tx.apiKey.findUnique({ where: { id: apiKeyId }, select: { name: true } })
  return key?.name ?? publicId('apiKey', apiKeyId)
}

function unknownRevision(ifRevision: number, revision: bigint): DomainError {
  const detail = `ifRevision must be a revision that was read, from 1 to ${revision}, not ${ifRevision}.`
  return invalid([{ path: ['ifRevision'], code: 'unknown_revision', detail }])
}
