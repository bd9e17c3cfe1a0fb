import {
  type CSSVariablesResolver,
  createTheme,
  type MantineThemeOverride,
  rem,
} from '@mantine/core'
import type { PortalLink } from '../session/portal.ts'
import { cssVariables, theme, themeOfColor } from './theme.ts'

type Look = Pick<PortalLink, 'color' | 'font' | 'radius'>

/** The theme of a host application. What the application leaves open is the console's. */
export function themeOfPortal({ color, font, radius }: Look): MantineThemeOverride {
  const base = color === null ? theme : themeOfColor(color)
  return createTheme({
    ...base,
    ...(radius !== null && { radius: radii(radius) }),
    ...(font !== null && {
      fontFamily: `${font}, ${theme.fontFamily}`,
      headings: { ...theme.headings, fontFamily: `${font}, ${theme.fontFamily}` },
    }),
  })
}

type Colors = Pick<PortalLink, 'density' | 'background' | 'foreground'>

/** The variables of a host application's theme, the same in both color schemes. */
export function variablesOfPortal({ density, background, foreground }: Colors) {
  const ofConsole = cssVariables(density)
  const shade = (percent: number) => `color-mix(in srgb, ${foreground} ${percent}%, transparent)`
  const ofHost = {
    ...(background !== null && { '--mantine-color-body': background }),
    ...(foreground !== null && {
      '--mantine-color-text': foreground,
      '--mantine-color-dimmed': shade(80),
      '--posthorn-line': shade(20),
      '--posthorn-sunken': shade(6),
    }),
  }
  const resolve: CSSVariablesResolver = (given) => {
    const { variables, light, dark } = ofConsole(given)
    return { variables, light: { ...light, ...ofHost }, dark: { ...dark, ...ofHost } }
  }
  return resolve
}

/** The corners of every size, in proportion. `md` is that of buttons and fields. */
function radii(md: number) {
  return { xs: rem(md / 4), sm: rem(md / 2), md: rem(md), lg: rem(md * 1.5), xl: rem(md * 2) }
}

/** Loads the file of the first font of a family. Without it, the page has the next font of the family. */
export function loadFont(family: string, url: string): void {
  const [first = ''] = family.split(',')
  const face = new FontFace(first.trim().replaceAll(/["']/g, ''), `url("${url}")`, {
    weight: '100 900',
    display: 'swap',
  })
  document.fonts.add(face)
  face.load().catch(() => {})
}
