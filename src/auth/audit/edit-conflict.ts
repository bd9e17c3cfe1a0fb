import type { Db } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { DomainError } from '../../lib/errors.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import type { AuditAction } from './audit-entry.ts'

/** Somebody changed an object after the revision that the caller read. Nothing was changed. */
export class EditConflict extends DomainError {
  /** The present revision. */
  readonly revision: number
  /** Of the last change. Null if the audit log no longer has that. */
  readonly changedAt: Date | null
  /** The person, or the API key by its name or id. Null for the command line, or if the audit log has no such entry. */
  readonly changedBy: string | null

  constructor(revision: number, changedAt: Date | null, changedBy: string | null) {
    super(
      'conflict',
      `Somebody else made changes in the meantime. Nothing was changed. To overwrite them, repeat the call with ifRevision ${revision}.`,
    )
    this.revision = revision
    this.changedAt = changedAt
    this.changedBy = changedBy
  }
}

interface Edited {
  readonly organizationId: string | null
  readonly subjectId: string
  readonly revision: bigint
  /** Those that make a revision. */
  readonly actions: readonly AuditAction[]
}

/**
 * Throws an `EditConflict` if the object has another revision than the caller read, if any. Call it in the transaction of the
 * update, with the object locked.
 */
export async function checkEditConflict(
  tx: Db,
  { organizationId, subjectId, revision, actions }: Edited,
  ifRevision: number | null | undefined,
): Promise<void> {
  const present = Number(revision)
  if (ifRevision == null || ifRevision === present) return
  const last = await tx.auditEntry.findFirst({
    where: { organizationId, subjectId, action: { in: [...actions] } },
    orderBy: { id: 'desc' },
  })
  if (!last) throw new EditConflict(present, null, null)
  const { id, person, apiKeyId } = last
  const key = apiKeyId ? await tx.apiKey.findUnique({ where: { id: apiKeyId } }) : null
  const keyName = apiKeyId && (key?.name ?? publicId('apiKey', apiKeyId))
  throw new EditConflict(present, timestampOf(id), person ?? keyName)
}

/** The description of the field of an update input. */
export const IF_REVISION =
  'The `revision` that the caller read. If the object was changed since, the result is an `EditConflictError`, and nothing is changed. Default: the input overwrites changes.'
