import { z } from 'zod'
import { actForOrganization } from '../../db/act-for.ts'
import type { Db } from '../../db/client.ts'
import type { ApiKey } from '../../db/generated/prisma/client.ts'
import { parseId, publicId } from '../../db/ids.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import { parseInput } from '../../lib/validation.ts'
import type { Actor } from '../access/actor.ts'
import { type Caller, parseScopes, requireGrantable } from '../access/scope.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { checkEditConflict } from '../audit/edit-conflict.ts'
import { givenLimits, type LimitsInput, requireLimits } from './limits.ts'
import { hashToken, mintToken, tokenHint } from './token.ts'

export interface NewApiKey extends LimitsInput {
  readonly organizationId: string
  readonly scopes: readonly string[]
  readonly name?: string | null | undefined
  /** Null or missing: never. */
  readonly expiresAt?: Date | null | undefined
  /**
   * The creator, who can grant only scopes and limits that they have. Null: Posthorn itself or the command line, which
   * have no bounds.
   */
  readonly grantedBy: Caller | null
}

/** The label of a key or session. */
export const keyNameRule = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
  .nullish()

const keyName = z.object({ name: keyNameRule })

/** Creates an API key. Only the hash of the token is stored, so the result is the only place to read the token. */
export async function createApiKey(
  db: Db,
  input: NewApiKey,
  actor: Actor,
): Promise<{ key: ApiKey; token: string }> {
  const scopes = parseScopes(input.scopes)
  if (input.grantedBy) requireGrantable(input.grantedBy, input.scopes)
  // A missing limit is the default, which the creator may not have.
  const none = { requestsPerSecond: null, eventsPerSecond: null, deliveriesPerSecond: null }
  const limits = { ...none, ...givenLimits(input) }
  requireLimits(limits, input.grantedBy)
  const { name } = parseInput(keyName, { name: input.name })
  const expiresAt = input.expiresAt ?? null
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw invalid([
      { path: ['expiresAt'], code: 'in_the_past', detail: 'expiresAt must be in the future.' },
    ])
  }
  const token = mintToken()
  const key = await actForOrganization(db, input.organizationId, async (tx) => {
    const created = await tx.apiKey.create({
      data: {
        organizationId: input.organizationId,
        name: name ?? null,
        scopes,
        expiresAt,
        ...limits,
        tokenHash: hashToken(token),
        tokenHint: tokenHint(token),
      },
    })
    await writeAuditEntry(tx, actor, {
      action: 'api_key.created',
      organizationId: created.organizationId,
      subjectId: publicId('apiKey', created.id),
      after: auditedFields(created),
    })
    await tx.$executeRaw`
      select posthorn.alert(k.organization_id, null, 'posthorn.api_key.created',
        posthorn.api_key_alert(k.id, k.name, k.token_hint, k.scopes, k.expires_at))
      from posthorn.api_keys as k where k.id = ${created.id}::uuid`
    return created
  })
  return { key, token }
}

/** Revokes an API key in every process. Revoking it again changes nothing. Throws `not_found`. */
export async function revokeApiKey(
  db: Db,
  id: string,
  organizationId: string,
  actor: Actor,
): Promise<void> {
  await actForOrganization(db, organizationId, async (tx) => {
    const key = await lockKey(tx, organizationId, id)
    if (key.revokedAt !== null) return
    await tx.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } })
    await writeAuditEntry(tx, actor, {
      action: 'api_key.revoked',
      organizationId,
      subjectId: id,
      before: auditedFields(key),
    })
  })
}

/**
 * Changes the limits of an API key in every process. Null: the default. Missing: unchanged. Throws `not_found` or
 * `invalid`, or an `EditConflict` if somebody else changed the same limits after `ifRevision`.
 */
export async function updateApiKey(
  db: Db,
  id: string,
  { ifRevision, ...input }: LimitsInput & { readonly ifRevision?: number | null | undefined },
  changedBy: Caller,
  actor: Actor,
): Promise<void> {
  const { organizationId } = changedBy
  await actForOrganization(db, organizationId, async (tx) => {
    const { revision, ...before } = await lockKey(tx, organizationId, id)
    const data = givenLimits(input)
    requireLimits(data, changedBy)
    const limits = givenLimits(before)
    const changed = changedFields(limits, { ...limits, ...data })
    if (Object.keys(changed.after).length === 0) return
    const action = 'api_key.updated'
    const subject = { organizationId, subjectId: id }
    await checkEditConflict(tx, { ...subject, revision, actions: [action] }, ifRevision)
    await tx.apiKey.update({
      where: { id: before.id },
      data: { ...data, revision: { increment: 1 } },
    })
    await writeAuditEntry(tx, actor, { action, ...subject, ...changed })
  })
}

async function lockKey(tx: Db, organizationId: string, id: string): Promise<ApiKey> {
  const uuid = parseId('apiKey', id)
  await tx.$queryRaw`select from posthorn.api_keys where id = ${uuid}::uuid for no key update`
  const key = uuid && (await tx.apiKey.findUnique({ where: { id: uuid, organizationId } }))
  if (!key) throw notFound('API key', id)
  return key
}

/** The fields of an API key in the audit log. */
function auditedFields(key: ApiKey) {
  const { name, scopes, expiresAt, tokenHint } = key
  return { name, scopes, expiresAt, tokenHint, ...givenLimits(key) }
}
