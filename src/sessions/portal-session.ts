import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import { type Caller, parseScopes, requireGrantable, type Scope } from '../access/scope.ts'
import { DEFAULT_LIMITS } from '../api-keys/limits.ts'
import { hashToken, mintToken, tokenHint } from '../api-keys/token.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { invalid } from '../lib/errors.ts'
import { parseInput } from '../lib/validation.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import { type PortalTheme, portalUrl, themeRule } from './portal-url.ts'

export const DEFAULT_TTL_SECONDS = 3_600
export const MIN_TTL_SECONDS = 60
export const MAX_TTL_SECONDS = 86_400

export interface NewPortalSession {
  readonly scopes: readonly string[]
  /** The only webhook that the session can access. Null or missing: the whole organization. */
  readonly webhookId?: string | null | undefined
  /** 60 to 86,400. Default: 3,600. */
  readonly ttlSeconds?: number | null | undefined
  readonly theme?: PortalTheme | null | undefined
}

export interface PortalSession {
  /** The public id of the session's API key: `key_…`. */
  readonly id: string
  /** Has the token in its fragment. Only the hash of the token is stored. */
  readonly url: string
  readonly expiresAt: Date
}

const TTL_RULE = `must be a whole number of seconds from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}`

const rule = z.object({
  ttlSeconds: z.int(TTL_RULE).min(MIN_TTL_SECONDS, TTL_RULE).max(MAX_TTL_SECONDS, TTL_RULE),
  theme: themeRule,
})

/**
 * Creates a portal session with a short-lived URL at `origin`. The session is an API key that no list shows, and that
 * ends at the latest with the caller's key. Throws `invalid` for scopes that the caller lacks or a portal cannot have.
 */
export async function createPortalSession(
  db: Db,
  input: NewPortalSession,
  origin: string,
  grantedBy: Caller,
  actor: Actor,
): Promise<PortalSession> {
  const { organizationId } = grantedBy
  const scopes = parseScopes(input.scopes)
  requireGrantable(grantedBy, input.scopes)
  const webhookId = input.webhookId ?? null
  requirePortalScopes(input.scopes, webhookId !== null)
  const { ttlSeconds, theme } = parseInput(rule, {
    ttlSeconds: input.ttlSeconds ?? DEFAULT_TTL_SECONDS,
    theme: input.theme ?? {},
  })
  const webhook = webhookId === null ? null : await findWebhook(db, organizationId, webhookId)
  const expiresAt = expiryAfter(ttlSeconds, grantedBy)
  const token = mintToken()
  const id = await actForOrganization(db, organizationId, async (tx) => {
    const created = await tx.apiKey.create({
      data: {
        organizationId,
        name: 'Portal session',
        isPortal: true,
        grantedBy: grantedBy.keyId,
        webhookId: webhook?.id ?? null,
        scopes,
        expiresAt,
        ...cappedLimits(grantedBy),
        tokenHash: hashToken(token),
        tokenHint: tokenHint(token),
      },
    })
    const id = publicId('apiKey', created.id)
    await writeAuditEntry(tx, actor, {
      action: 'portal_session.created',
      organizationId,
      subjectId: id,
      after: { scopes, webhookId, expiresAt },
    })
    return id
  })
  return { id, url: portalUrl(origin, token, theme), expiresAt }
}

function expiryAfter(ttlSeconds: number, { expiresAt: latest }: Caller): Date {
  const end = new Date(Date.now() + ttlSeconds * 1_000)
  return latest && latest < end ? latest : end
}

const FORBIDDEN_SCOPES: Readonly<Partial<Record<Scope, string>>> = {
  admin: 'it gives access to every organization',
  'keys:manage': 'a user of the portal could create keys that outlive the session',
}
const FORBIDDEN_SCOPES_FOR_ONE_WEBHOOK: typeof FORBIDDEN_SCOPES = {
  ...FORBIDDEN_SCOPES,
  'events:publish': 'an event goes to all webhooks, but the session is for one',
}

function requirePortalScopes(scopes: readonly string[], forOneWebhook: boolean): void {
  const forbidden = forOneWebhook ? FORBIDDEN_SCOPES_FOR_ONE_WEBHOOK : FORBIDDEN_SCOPES
  const issues = scopes.flatMap((scope, index) => {
    const reason = forbidden[scope as Scope]
    if (reason === undefined) return []
    const detail = `A portal session cannot have the scope ${scope}: ${reason}. Remove this scope.`
    return [{ path: ['scopes', index], code: 'scope_not_for_portals', detail }]
  })
  if (issues.length > 0) throw invalid(issues)
}

/** The caller's limits where they are below the defaults. Null: the default. */
function cappedLimits({ limits, scopes }: Caller) {
  const cap = (name: keyof typeof limits) =>
    !scopes.has('admin') && limits[name] < DEFAULT_LIMITS[name] ? limits[name] : null
  return {
    requestsPerSecond: cap('requestsPerSecond'),
    eventsPerSecond: cap('eventsPerSecond'),
  }
}
