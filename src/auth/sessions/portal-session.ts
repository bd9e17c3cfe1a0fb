import { z } from 'zod'
import type { Db } from '../../db/client.ts'
import { changesRule, type GivenSettings, type Settings, wholeNumber } from '../../lib/setting.ts'
import { parseInput } from '../../lib/validation.ts'
import type { Actor } from '../access/actor.ts'
import type { Caller } from '../access/scope.ts'
import { type CreatedSession, createSession, type NewSession } from './create-session.ts'

const MAX_URL_LENGTH = 2_048
const MAX_FONT_FAMILY_LENGTH = 200
const MAX_RADIUS = 16
const MAX_PADDING = 64

const URL_RULE = `must be an https:// URL of at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`
const URL_BOUNDS = `\`https://…\`, at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`
const FONT_RULE = `must be a CSS font-family of at most ${MAX_FONT_FAMILY_LENGTH} letters, digits, spaces, commas, hyphens and quotes, such as "Figtree", sans-serif`

const webUrl = z
  .string()
  .max(MAX_URL_LENGTH, URL_RULE)
  .refine((text) => /^https:\/\/[^\s\\]+$/.test(text) && URL.canParse(text), URL_RULE)
  .nullable()

const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color as #rrggbb')
  .nullable()

const pixels = (max: number) => wholeNumber(0, max, 'give pixels').nullable()

/** The appearance of the portal in a host application. A missing or null field has the console's value. */
export const PORTAL_THEME = {
  primaryColor: {
    rule: color,
    type: 'String',
    description: 'The color of buttons and links, as `#rrggbb`. Default: the color of the console.',
  },
  fontFamily: {
    rule: z
      .string()
      .max(MAX_FONT_FAMILY_LENGTH, FONT_RULE)
      .regex(/^[\p{L}\p{N} ,'"_-]+$/u, FONT_RULE)
      .nullable(),
    type: 'String',
    description: `The typeface, as a CSS \`font-family\`: at most ${MAX_FONT_FAMILY_LENGTH} letters, digits, spaces, commas, hyphens and quotes. Default: Inter, which Posthorn serves.`,
  },
  fontUrl: {
    rule: webUrl,
    type: 'String',
    description: `The URL of a WOFF2 file of the first font in \`fontFamily\`: ${URL_BOUNDS}. Its origin must be one of \`POSTHORN_PORTAL_ORIGINS\`, and must allow the portal by CORS; otherwise the browser uses the next font in \`fontFamily\`. Default: none.`,
  },
  radius: {
    rule: pixels(MAX_RADIUS),
    type: 'Int',
    description: `The radius of corners in pixels: 0 to ${MAX_RADIUS}. Default: 8.`,
  },
  backgroundColor: {
    rule: color,
    type: 'String',
    description:
      'The color behind the portal in a frame, as `#rrggbb`. Default: transparent, so that the page of your application is behind it.',
  },
  foregroundColor: {
    rule: color,
    type: 'String',
    description:
      'The color of text, as `#rrggbb`. Lines and secondary text are paler shades of it. Default: the color of the console.',
  },
  padding: {
    rule: pixels(MAX_PADDING),
    type: 'Int',
    description: `The space around the portal in a frame, in pixels: 0 to ${MAX_PADDING}. Default: 16 with \`backgroundColor\`, otherwise 4.`,
  },
  density: {
    rule: z.enum(['compact', 'comfortable']).nullable(),
    type: 'PortalDensity',
    description: 'The height of rows. Default: COMFORTABLE.',
  },
  colorScheme: {
    rule: z.enum(['light', 'dark', 'auto']).nullable(),
    type: 'PortalColorScheme',
    description: 'The color scheme. Default: AUTO.',
  },
  logoUrl: {
    rule: webUrl,
    type: 'String',
    description: `The URL of a logo, which the header shows: ${URL_BOUNDS}. Default: none.`,
  },
  showHeader: {
    rule: z.boolean().nullable(),
    type: 'Boolean',
    description:
      'Whether the portal in a frame has the header and the menu of the console. Without a frame it always has them. Default: false.',
  },
} as const satisfies Settings

type PortalTheme = GivenSettings<typeof PORTAL_THEME>

const themeRule = changesRule(PORTAL_THEME).refine(
  ({ fontUrl, fontFamily }) => !fontUrl || fontFamily,
  { path: ['fontFamily'], message: 'is required with fontUrl: give the name of the font first' },
)

/** The pages of the portal, by their paths. */
export const PORTAL_PAGES = {
  overview: 'Figures and charts of all webhooks.',
  webhooks: 'The webhooks, which the portal calls endpoints.',
  events: 'The published events.',
  deliveries: 'The deliveries.',
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
  for (const [name, value] of Object.entries(theme)) {
    if (value != null && value !== false && value !== '') fragment.set(name, String(value))
  }
  return `${origin}/portal#${fragment}`
}
