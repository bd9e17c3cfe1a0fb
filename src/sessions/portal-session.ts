import { z } from 'zod'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import type { Db } from '../db/client.ts'
import { parseInput } from '../lib/validation.ts'
import { type CreatedSession, createSession, type NewSession } from './create-session.ts'
import { type PortalTheme, themeRule } from './portal-theme.ts'
import { type PortalPage, portalUrl } from './portal-url.ts'

export interface NewPortalSession extends Omit<NewSession, 'kind' | 'name'> {
  readonly theme?: PortalTheme | null | undefined
  /** The tabs. Default: webhooks, deliveries and event types. */
  readonly pages?: readonly PortalPage[] | null | undefined
  /** A BCP 47 tag, or `auto`. Default: `auto`, the language of the browser. */
  readonly locale?: string | null | undefined
}

export interface PortalSession extends Omit<CreatedSession, 'token'> {
  /** Has the token in its fragment. */
  readonly url: string
}

/** What the portal does not speak is English, as a new language should not need a new client. */
const localeRule = z
  .string()
  .regex(
    /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i,
    'must be auto, or a BCP 47 language tag such as de or pt-BR',
  )
  .max(35, 'must have at most 35 characters')
  .nullish()
  .transform((tag) => (tag === 'auto' ? null : (tag ?? null)))

const rule = z.object({
  theme: themeRule,
  pages: z.array(z.string()).min(1, 'must have at least one page').nullish(),
  locale: localeRule,
})

/** Creates a session with a short-lived URL of the portal at `origin`. Throws as `createSession`. */
export async function createPortalSession(
  db: Db,
  { theme, pages = null, locale, ...session }: NewPortalSession,
  origin: string,
  grantedBy: Caller,
  actor: Actor,
): Promise<PortalSession> {
  const input = parseInput(rule, { theme: theme ?? {}, pages, locale })
  const { token, ...created } = await createSession(
    db,
    { ...session, kind: 'portal', name: 'Portal session' },
    grantedBy,
    actor,
  )
  const options = { theme: input.theme, pages, locale: input.locale }
  return { ...created, url: portalUrl(origin, token, options) }
}
