import { z } from 'zod'
import { actForOrganization } from '../../db/act-for.ts'
import type { Db } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'
import { wholeNumber } from '../../lib/setting.ts'
import { parseInput } from '../../lib/validation.ts'
import { findWebhook } from '../../webhooks/find-webhooks.ts'
import type { Actor } from '../access/actor.ts'
import {
  type Caller,
  type CallerSession,
  requireGrantable,
  type Scope,
  scopesRule,
} from '../access/scope.ts'
import { keyNameRule } from '../api-keys/api-key-settings.ts'
import { hashToken, mintToken, tokenHint } from '../api-keys/authenticate.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'

export const DEFAULT_TTL_SECONDS = 3_600
export const MIN_TTL_SECONDS = 60
export const MAX_TTL_SECONDS = 86_400

const ttlRule = wholeNumber(MIN_TTL_SECONDS, MAX_TTL_SECONDS, 'give seconds')
  .nullish()
  .transform((seconds) => seconds ?? DEFAULT_TTL_SECONDS)

const rule = z.object({ name: keyNameRule.optional(), scopes: scopesRule, ttlSeconds: ttlRule })

export interface NewSession {
  readonly kind: CallerSession['kind']
  /** A label for the audit log, such as the host application's name of the user. */
  readonly name?: string | null | undefined
  readonly scopes: readonly string[]
  /** The only webhook that the session can access. Null or missing: the whole organization. */
  readonly webhookId?: string | null | undefined
  /** 60 to 86,400. Default: 3,600. */
  readonly ttlSeconds?: number | null | undefined
}

export interface CreatedSession {
  /** The public id of the session, which is an API key: `key_…`. */
  readonly id: string
  /** `phs_…`. Only its hash is stored. */
  readonly token: string
  readonly expiresAt: Date
}

/**
 * Creates a portal or frontend session: an API key that `apiKeys` does not list, and that ends at the latest with the
 * caller's key. Throws `invalid`, also for scopes that the caller lacks or a session cannot have.
 */
export async function createSession(
  db: Db,
  { kind, webhookId = null, ...options }: NewSession,
  grantedBy: Caller,
  actor: Actor,
): Promise<CreatedSession> {
  const { organizationId } = grantedBy
  const { name = null, scopes, ttlSeconds } = parseInput(rule, options)
  requireGrantable(grantedBy, scopes)
  requireSessionScopes(scopes, webhookId !== null)
  const webhook = webhookId === null ? null : await findWebhook(db, organizationId, webhookId)
  const endOfTtl = new Date(Date.now() + ttlSeconds * 1_000)
  const { expiresAt: endOfKey } = grantedBy
  const expiresAt = endOfKey && endOfKey < endOfTtl ? endOfKey : endOfTtl
  const token = mintToken('session')
  const id = await actForOrganization(db, organizationId, async (tx) => {
    const created = await tx.apiKey.create({
      data: {
        organizationId,
        name,
        sessionKind: kind,
        grantedBy: grantedBy.keyId,
        webhookId: webhook?.id ?? null,
        scopes,
        expiresAt,
        ...grantedBy.limits,
        tokenHash: hashToken(token),
        tokenHint: tokenHint(token),
      },
    })
    const id = publicId('apiKey', created.id)
    await writeAuditEntry(tx, actor, {
      action: `${kind}_session.created`,
      organizationId,
      subjectId: id,
      after: { ...(kind === 'frontend' && { name }), scopes, webhookId, expiresAt },
    })
    return id
  })
  return { id, token, expiresAt }
}

const FORBIDDEN_SCOPES: Readonly<Partial<Record<Scope, string>>> = {
  admin: 'it gives access to every organization',
  'keys:manage': 'its user could create keys that outlive the session',
}
const PUBLISHES_TO_ALL = 'an event goes to all webhooks, but the session is for one'

function requireSessionScopes(scopes: readonly string[], forOneWebhook: boolean): void {
  const issues = scopes.flatMap((scope, index) => {
    const publishes = forOneWebhook && scope === 'events:publish'
    const reason = publishes ? PUBLISHES_TO_ALL : FORBIDDEN_SCOPES[scope as Scope]
    if (reason === undefined) return []
    const rule = `is ${scope}, which no session can have: ${reason}. Remove this scope.`
    return fieldIssue(['scopes', index], 'scope_not_for_sessions', rule)
  })
  if (issues.length > 0) throw invalid(issues)
}
