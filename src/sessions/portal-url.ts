import type { PortalTheme } from './portal-theme.ts'

/** The pages of the portal, by their paths. */
export const PORTAL_PAGES = {
  overview: 'Figures and charts of all webhooks.',
  webhooks: 'The webhooks, which the portal calls endpoints.',
  events: 'The published events.',
  deliveries: 'The deliveries.',
  attempts: 'The attempts.',
  'event-types': 'The event types, with examples and schemas.',
} as const
export type PortalPage = keyof typeof PORTAL_PAGES

/** The names of the theme in the fragment, which `src/console/session/portal-link.ts` reads. */
const NAMES: Readonly<Record<keyof PortalTheme, string>> = {
  primaryColor: 'color',
  fontFamily: 'font',
  fontUrl: 'fontUrl',
  radius: 'radius',
  backgroundColor: 'background',
  foregroundColor: 'foreground',
  padding: 'padding',
  density: 'density',
  colorScheme: 'scheme',
  logoUrl: 'logo',
  showHeader: 'header',
}

/** What a session opens with. */
export interface PortalOptions {
  readonly theme: PortalTheme
  readonly pages: readonly PortalPage[] | null
  /** A BCP 47 tag. Null: the language of the browser. */
  readonly locale: string | null
}

/** The token, the theme, the pages and the locale are in the fragment, which browsers never send, so neither logs nor proxies see them. */
export function portalUrl(
  origin: string,
  token: string,
  { theme, pages, locale }: PortalOptions,
): string {
  const fragment = new URLSearchParams({ token })
  if (pages !== null) fragment.set('pages', pages.join(' '))
  if (locale !== null) fragment.set('locale', locale)
  for (const [field, name] of Object.entries(NAMES)) {
    const value = theme[field as keyof PortalTheme] ?? false
    if (value !== false && value !== '') fragment.set(name, String(value))
  }
  return `${origin}/portal#${fragment}`
}
