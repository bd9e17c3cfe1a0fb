import { z } from 'zod'

export type ColorScheme = 'light' | 'dark' | 'auto'

/** The appearance of the portal in a host application. A missing or null field has the console's value. */
export interface PortalTheme {
  /** `#rrggbb` */
  readonly primaryColor?: string | null | undefined
  readonly logoUrl?: string | null | undefined
  readonly colorScheme?: ColorScheme | null | undefined
}

export const MAX_LOGO_URL_LENGTH = 2_048

const LOGO_RULE = `must be an https:// URL of at most ${MAX_LOGO_URL_LENGTH.toLocaleString('en')} characters`

export const themeRule = z.object({
  primaryColor: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a color as #rrggbb')
    .nullish(),
  logoUrl: z
    .string()
    .max(MAX_LOGO_URL_LENGTH, LOGO_RULE)
    .refine((text) => /^https:\/\/[^\s\\]+$/.test(text) && URL.canParse(text), LOGO_RULE)
    .nullish(),
  colorScheme: z.enum(['light', 'dark', 'auto']).nullish(),
})

/** The token and the theme are in the fragment, which browsers never send, so neither logs nor proxies see them. */
export function portalUrl(origin: string, token: string, theme: PortalTheme): string {
  const fragment = new URLSearchParams({ token })
  if (theme.primaryColor) fragment.set('color', theme.primaryColor)
  if (theme.logoUrl) fragment.set('logo', theme.logoUrl)
  if (theme.colorScheme) fragment.set('scheme', theme.colorScheme)
  return `${origin}/portal#${fragment}`
}
