import { z } from 'zod'
import type { Db } from '../../db/client.ts'
import { parseInput } from '../../lib/validation.ts'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { type CreatedSession, createSession, type NewSession } from './create-session.ts'
import { PORTAL_THEME, type PortalTheme, type ThemeField, themeRule } from './portal-theme.ts'

/** The pages of the portal, by their paths. */
export const PORTAL_PAGES = {
  overview: 'Figures and charts of all webhooks.',
  webhooks: 'The webhooks, which the portal calls endpoints.',
  events: 'The published events.',
  deliveries: 'The deliveries.',
  attempts: 'The attempts.',
  'event-types': 'The event types, with examples and schemas.',
} as const
type PortalPage = keyof typeof PORTAL_PAGES

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

const rule = z.object({
  theme: themeRule,
  pages: z.array(z.string()).min(1, 'must have at least one page').nullish(),
  // What the portal does not speak is English, as a new language should not need a new client.
  locale: z
    .string()
    .regex(
      /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i,
      'must be auto, or a BCP 47 language tag such as de or pt-BR',
    )
    .max(35, 'must have at most 35 characters')
    .nullish(),
})

/** Creates a session with a short-lived URL of the portal at `origin`. Throws as `createSession`. */
export async function createPortalSession(
  db: Db,
  { theme, pages, locale, ...session }: NewPortalSession,
  origin: string,
  grantedBy: Caller,
  actor: Actor,
): Promise<PortalSession> {
  const options = parseInput(rule, { theme: theme ?? {}, pages, locale })
  const { token, ...created } = await createSession(
    db,
    { ...session, kind: 'portal', name: 'Portal session' },
    grantedBy,
    actor,
  )
  return { ...created, url: portalUrl(origin, token, options) }
}

/**
 * The token, the theme, the pages and the locale are in the fragment, which browsers never send, so neither logs nor proxies
 * see them. `packages/console/session/portal-link.ts` reads the fragment.
 */
function portalUrl(
  origin: string,
  token: string,
  { theme, pages, locale }: z.output<typeof rule>,
): string {
  const fragment = new URLSearchParams({ token })
  if (pages) fragment.set('pages', pages.join(' '))
  if (locale && locale !== 'auto') fragment.set('locale', locale)
  for (const [name, { parameter = name }] of Object.entries<ThemeField>(PORTAL_THEME)) {
    const value = theme[name as keyof PortalTheme] ?? false
    if (value !== false && value !== '') fragment.set(parameter, String(value))
  }
  return `${origin}/portal#${fragment}`
}
