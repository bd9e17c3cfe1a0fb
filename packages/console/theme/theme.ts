import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, rem } from '@mantine/core'
import { t } from '../language/t.ts'

/** A calm blue. Shades 6 and 7 are dark enough for white text. */
const INK: MantineColorsTuple = [
  '#eef3ff',
  '#dbe4fb',
  '#b3c6f3',
  '#89a6ec',
  '#6689e6',
  '#4f76e1',
  '#3561d3',
  '#2a50b4',
  '#20419a',
  '#143180',
]

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 7 },
  colors: { ink: INK },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", "Inter Fallback", system-ui, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(20), lineHeight: '1.4' },
      h2: { fontSize: rem(14), lineHeight: '1.5' },
      h3: { fontSize: rem(14), lineHeight: '1.5' },
    },
  },
  components: {
    CloseButton: { defaultProps: () => ({ 'aria-label': t('Close') }) },
    // Enter chooses the first match of what was typed.
    Select: { defaultProps: { selectFirstOptionOnChange: true } },
    // The shell's header is the only banner of a page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // A quiet alert: an edge in its color, on the background of the page.
    Alert: {
      classNames: { root: 'ph-alert', title: 'ph-alert-title' },
      vars: (_theme: unknown, { color }: { color?: string }) => ({
        root: {
          '--alert-bg': 'transparent',
          '--alert-bd': 'none',
          '--alert-color': `var(--posthorn-on-${color}, var(--mantine-color-text))`,
          '--posthorn-edge': `var(--posthorn-mark-${color}, var(--mantine-primary-color-filled))`,
        },
      }),
    },
  },
})

/** Replaces Mantine's greys where they are too pale for small text (WCAG 2.2 requires a contrast of 4.5 to 1). */
export const cssVariables =
  (density?: 'compact' | 'comfortable'): CSSVariablesResolver =>
  () => ({
    variables: {
      '--posthorn-row-height': density === 'compact' ? '32px' : '40px',
    },
    light: {
      '--mantine-color-dimmed': '#5b6472',
      '--mantine-color-placeholder': '#68707d',
      '--mantine-color-error': '#bd2323',
      '--mantine-color-anchor': 'var(--mantine-primary-color-7)',
      '--posthorn-line': '#e3e7ee',
      '--posthorn-sunken': '#f6f8fb',
      // Text on a pale background of the same color.
      '--posthorn-on-green': '#1c6b31',
      '--posthorn-on-red': '#b02525',
      '--posthorn-on-blue': '#1c5a96',
      '--posthorn-on-orange': '#a34a06',
      '--posthorn-on-gray': '#4b5563',
      '--posthorn-on-yellow': '#7a5a00',
      '--posthorn-on-violet': '#6038a8',
      // Dots, edges and bars, which have a contrast of 3 to 1 with the page.
      '--posthorn-mark-green': '#1f8a5b',
      '--posthorn-mark-red': '#d03a3a',
      '--posthorn-mark-blue': '#2f74c0',
      '--posthorn-mark-orange': '#c2620c',
      '--posthorn-mark-gray': '#7b8494',
      '--posthorn-mark-yellow': '#a67c00',
      '--posthorn-mark-violet': '#7b55c7',
      // The result of attempts in charts: the class of the status, or no response.
      '--posthorn-chart-2xx': '#2a9d78',
      '--posthorn-chart-3xx': '#7b55c7',
      '--posthorn-chart-4xx': '#c6801a',
      '--posthorn-chart-5xx': '#cf4646',
      '--posthorn-chart-none': '#7a4a72',
      '--posthorn-selected': 'var(--mantine-primary-color-light)',
    },
    dark: {
      '--mantine-color-dimmed': '#a3abb8',
      '--mantine-color-placeholder': '#8d95a3',
      '--mantine-color-error': '#ff8787',
      '--mantine-color-anchor': 'var(--mantine-primary-color-3)',
      '--posthorn-line': '#363c46',
      '--posthorn-sunken': '#1f2228',
      '--posthorn-on-green': '#8ce99a',
      '--posthorn-on-red': '#ffa8a8',
      '--posthorn-on-blue': '#a5d8ff',
      '--posthorn-on-orange': '#ffc078',
      '--posthorn-on-gray': '#ced4da',
      '--posthorn-on-yellow': '#ffe066',
      '--posthorn-on-violet': '#d0bfff',
      '--posthorn-mark-green': '#43b581',
      '--posthorn-mark-red': '#ee6a6a',
      '--posthorn-mark-blue': '#5c9ee6',
      '--posthorn-mark-orange': '#f08c3a',
      '--posthorn-mark-gray': '#8f98a6',
      '--posthorn-mark-yellow': '#e0b93a',
      '--posthorn-mark-violet': '#a58be0',
      '--posthorn-chart-2xx': '#3fae88',
      '--posthorn-chart-3xx': '#a58be0',
      '--posthorn-chart-4xx': '#dba03f',
      '--posthorn-chart-5xx': '#e06666',
      '--posthorn-chart-none': '#b583ab',
      '--posthorn-selected': 'var(--mantine-primary-color-light)',
    },
  })

/** The theme of a host application: its color, darkened until white text on it is readable. */
export function themeOfColor(color: string) {
  return createTheme({
    ...theme,
    colors: { ...theme.colors, brand: shadesOf(readable(color)) },
    primaryColor: 'brand',
  })
}

/** How much white (or, if negative, black) each shade mixes in. Shade 7, which buttons use, is the color itself. */
const TINTS = [0.93, 0.85, 0.7, 0.55, 0.4, 0.27, 0.13, 0, -0.2, -0.38]

function shadesOf(color: string): MantineColorsTuple {
  return TINTS.map((tint) => {
    const other = tint > 0 ? 255 : 0
    return toHex(channelsOf(color).map((channel) => channel + (other - channel) * Math.abs(tint)))
  }) as unknown as MantineColorsTuple
}

/** Darkens `#rrggbb` until white text on it has a contrast of 4.5 to 1. */
export function readable(color: string): string {
  let channels = channelsOf(color)
  while (1.05 / (luminance(channels) + 0.05) < 4.5) {
    channels = channels.map((channel) => Math.floor(channel * 0.95))
  }
  return toHex(channels)
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function toHex(channels: readonly number[]): string {
  const digits = channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0'))
  return `#${digits.join('')}`
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
