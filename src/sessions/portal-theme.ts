import { z } from 'zod'

export const MAX_URL_LENGTH = 2_048
export const MAX_FONT_FAMILY_LENGTH = 200
export const MAX_RADIUS = 16
export const MAX_PADDING = 64

const URL_RULE = `must be an https:// URL of at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`
const FONT_RULE = `must be a CSS font-family of at most ${MAX_FONT_FAMILY_LENGTH} letters, digits, spaces, commas, hyphens and quotes, such as "Figtree", sans-serif`
const COLOR_RULE = 'must be a color as #rrggbb'

const webUrl = z
  .string()
  .max(MAX_URL_LENGTH, URL_RULE)
  .refine((text) => /^https:\/\/[^\s\\]+$/.test(text) && URL.canParse(text), URL_RULE)

const color = z.string().regex(/^#[0-9a-f]{6}$/i, COLOR_RULE)

function pixels(max: number) {
  const rule = `must be a whole number of pixels from 0 to ${max}`
  return z.int(rule).min(0, rule).max(max, rule)
}

/** The appearance of the portal in a host application. A missing or null field has the console's value. */
export const themeRule = z
  .object({
    primaryColor: color.nullish(),
    backgroundColor: color.nullish(),
    foregroundColor: color.nullish(),
    padding: pixels(MAX_PADDING).nullish(),
    fontFamily: z
      .string()
      .max(MAX_FONT_FAMILY_LENGTH, FONT_RULE)
      .regex(/^[\p{L}\p{N} ,'"_-]+$/u, FONT_RULE)
      .nullish(),
    fontUrl: webUrl.nullish(),
    radius: pixels(MAX_RADIUS).nullish(),
    density: z.enum(['compact', 'comfortable']).nullish(),
    colorScheme: z.enum(['light', 'dark', 'auto']).nullish(),
    logoUrl: webUrl.nullish(),
    showHeader: z.boolean().nullish(),
  })
  .refine(({ fontUrl, fontFamily }) => !fontUrl || fontFamily, {
    path: ['fontFamily'],
    message: 'is required with fontUrl: give the name of the font first',
  })

export type PortalTheme = z.input<typeof themeRule>
