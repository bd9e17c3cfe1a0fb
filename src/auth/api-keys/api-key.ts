import { actForOrganization } from '../../db/act-for.ts'
import type { Db } from '../../db/client.ts'
import type { ApiKey, Prisma } from '../../db/generated/prisma/client.ts'
import { parseId, publicId } from '../../db/ids.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { notFound } from '../../lib/errors.ts'
import { changesRule, type GivenSettings, newObjectRule, settingsIn } from '../../lib/setting.ts'
import { omitUndefined, parseInput } from '../../lib/validation.ts'
import type { Actor } from '../access/actor.ts'
import { type Caller, hasScope, requireGrantable } from '../access/scope.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { API_KEY_SETTINGS, LIMIT_SETTINGS, requireLimits } from './api-key-settings.ts'
import { hashToken, mintToken, tokenHint } from './authenticate.ts'

export interface NewApiKey extends GivenSettings<typeof API_KEY_SETTINGS> {
  readonly organizationId: string
  /**
   * The creator, who can grant only scopes and limits that they have. Null: Posthorn itself or the command line, which
   * have no bounds.
   */
  readonly grantedBy: Caller | null
}

const newKey = newObjectRule(API_KEY_SETTINGS)
const limitChanges = changesRule(LIMIT_SETTINGS)

/** Creates an API key. Only the hash of the token is stored, so the result is the only place to read the token. */
export async function createApiKey(
  db: Db,
  { organizationId, grantedBy, ...input }: NewApiKey,
  actor: Actor,
): Promise<{ key: ApiKey; token: string }> {
  const settings = parseInput(newKey, input)
  if (grantedBy) {
    requireGrantable(grantedBy, settings.scopes)
    requireLimits(grantedBy, settings)
  }
  const token = mintToken()
  const key = await actForOrganization(db, organizationId, async (tx) => {
    const created = await tx.apiKey.create({
      data: {
        ...settings,
        organizationId,
        tokenHash: hashToken(token),
        tokenHint: tokenHint(token),
      },
    })
    await writeAuditEntry(tx, actor, {
      action: 'api_key.created',
      organizationId,
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
 * `invalid`.
 */
export async function updateApiKey(
  db: Db,
  id: string,
  input: GivenSettings<typeof LIMIT_SETTINGS>,
  changedBy: Caller,
  actor: Actor,
): Promise<void> {
  const { organizationId } = changedBy
  await actForOrganization(db, organizationId, async (tx) => {
    const before = await lockKey(tx, organizationId, id)
    const data = omitUndefined(parseInput(limitChanges, input))
    requireLimits(changedBy, data)
    const limits = settingsIn(before, LIMIT_SETTINGS)
    const changed = changedFields(limits, { ...limits, ...data })
    if (Object.keys(changed.after).length === 0) return
    await tx.apiKey.update({ where: { id: before.id }, data })
    const subject = { organizationId, subjectId: id }
    await writeAuditEntry(tx, actor, { action: 'api_key.updated', ...subject, ...changed })
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
  return { ...settingsIn(key, API_KEY_SETTINGS), tokenHint: key.tokenHint }
}

/** The condition on API keys that a caller can see: its own, with `keys:manage` all of its organization, or with `admin` all. */
export function visibleApiKey(caller: Caller, uuid: string): Prisma.ApiKeyWhereUniqueInput {
  if (hasScope(caller, 'admin')) return { id: uuid }
  const own = hasScope(caller, 'keys:manage') ? {} : { AND: [{ id: caller.keyId }] }
  return { id: uuid, organizationId: caller.organizationId, ...own }
}

/** A page of an organization's API keys, newest first, including expired and revoked keys, without sessions. */
export async function findApiKeys(
  db: Db,
  organizationId: string,
  query: Pick<Prisma.ApiKeyFindUniqueArgs, 'select' | 'include'> & Page,
): Promise<ApiKey[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.apiKey.findMany({
    ...page,
    where: { ...where, organizationId, sessionKind: null },
  })
}
