import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import type { Db } from '../db/client.ts'
import { parseInput } from '../lib/validation.ts'
import { type CreatedSession, createSession, type NewSession, ttlRule } from './create-session.ts'
import { type PortalTheme, themeRule } from './portal-theme.ts'
import { type PortalPage, portalUrl } from './portal-url.ts'

export interface NewPortalSession extends Pick<NewSession, 'scopes' | 'webhookId'> {
  /** 60 to 86,400. Default: 3,600. */
  readonly ttlSeconds?: number | null | undefined
  readonly theme?: PortalTheme | null | undefined
  /** The tabs. Default: webhooks, deliveries and event types. */
  readonly pages?: readonly PortalPage[] | null | undefined
}

export interface PortalSession extends Omit<CreatedSession, 'token'> {
  /** Has the token in its fragment. */
  readonly url: string
}

const rule = z.object({
  ttlSeconds: ttlRule,
  theme: themeRule,
  pages: z.array(z.string()).min(1, 'must have at least one page').nullish(),
})

/** Creates a session with a short-lived URL of the portal at `origin`. Throws as `createSession`. */
export async function createPortalSession(
  db: Db,
  { scopes, webhookId, ttlSeconds, theme, pages = null }: NewPortalSession,
  origin: string,
  grantedBy: Caller,
  actor: Actor,
): Promise<PortalSession> {
  const input = parseInput(rule, { ttlSeconds, theme: theme ?? {}, pages })
  const session = { kind: 'portal', name: 'Portal session', scopes, webhookId } as const
  const { token, ...created } = await createSession(
    db,
    { ...session, ttlSeconds: input.ttlSeconds },
    grantedBy,
    actor,
  )
  return { ...created, url: portalUrl(origin, token, { theme: input.theme, pages }) }
}
