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
  /** The only webhook that it may see. Null or missing: all of the organization. */
  readonly webhookId?: string | null | undefined
  readonly ttlSeconds?: number | null | undefined
  readonly theme?: PortalTheme | null | undefined
}

export interface PortalSession {
  /** Of the API key that it is: `key_…`. */
  readonly id: string
  /** With the token in its fragment, and nowhere else: only its hash is stored. */
  readonly url: string
  readonly expiresAt: Date
}

const TTL_RULE = `must be a whole number of seconds from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS.toLocaleString('en')}`

const rule = z.object({
  ttlSeconds: z.int(TTL_RULE).min(MIN_TTL_SECONDS, TTL_RULE).max(MAX_TTL_SECONDS, TTL_RULE),
  theme: themeRule,
})

/**
 * Makes a short-lived URL of the portal, at an origin. Its token is an API key that no list shows, and that ends with the
 * key that makes it.
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
  const expiresAt = endAfter(ttlSeconds, grantedBy)
  const token = mintToken()
  const id = await actForOrganization(db, organizationId, async (tx) => {
    const made = await tx.apiKey.create({
      data: {
        organizationId,
        name: 'Portal session',
        isPortal: true,
        grantedBy: grantedBy.keyId,
        webhookId: webhook?.id ?? null,
        scopes,
        expiresAt,
        ...limitsUnder(grantedBy),
        tokenHash: hashToken(token),
        tokenHint: tokenHint(token),
      },
    })
    const id = publicId('apiKey', made.id)
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

function endAfter(ttlSeconds: number, { expiresAt: latest }: Caller): Date {
  const end = new Date(Date.now() + ttlSeconds * 1_000)
  return latest && latest < end ? latest : end
}

const NEVER: Readonly<Partial<Record<Scope, string>>> = {
  admin: 'it opens every organization',
  'keys:manage': 'with it, whoever opens the page could make keys that outlive the session',
}
const NEVER_OF_ONE_WEBHOOK: typeof NEVER = {
  ...NEVER,
  'events:publish': 'an event goes to all webhooks, and the session is for one',
}

function requirePortalScopes(scopes: readonly string[], ofOneWebhook: boolean): void {
  const never = ofOneWebhook ? NEVER_OF_ONE_WEBHOOK : NEVER
  const issues = scopes.flatMap((scope, index) => {
    const reason = never[scope as Scope]
    if (reason === undefined) return []
    const detail = `A portal session cannot have the scope ${scope}: ${reason}. Leave it out.`
    return [{ path: ['scopes', index], code: 'scope_not_for_portals', detail }]
  })
  if (issues.length > 0) throw invalid(issues)
}

/** Nobody gives more than they have; null is the default. */
function limitsUnder({ limits, scopes }: Caller) {
  const under = (name: keyof typeof limits) =>
    !scopes.has('admin') && limits[name] < DEFAULT_LIMITS[name] ? limits[name] : null
  return {
    requestsPerSecond: under('requestsPerSecond'),
    eventsPerSecond: under('eventsPerSecond'),
  }
}
