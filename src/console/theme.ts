import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineTheme,
} from '@mantine/core'

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

const PALE = new Set<string | undefined>(['yellow', 'orange', 'green', 'gray'])

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 7 },
  colors: { ink: INK },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.3' } } },
  components: {
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // The shell's header is the only banner of a page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // Mantine's yellow and orange are too pale for a title on their light background.
    Alert: {
      vars: (_theme: MantineTheme, { color }: { color?: string }) => ({
        root: PALE.has(color) ? { '--alert-color': `var(--posthorn-on-${color})` } : {},
      }),
    },
  },
})

/** Replaces Mantine's greys where they are too pale for small text (WCAG 2.2 requires a contrast of 4.5 to 1). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#6b7380',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#2a50b4',
    '--posthorn-line': '#e3e7ee',
    '--posthorn-sunken': '#f6f8fb',
    // Text on a pale background of the same color.
    '--posthorn-on-green': '#1c6b31',
    '--posthorn-on-red': '#b02525',
    '--posthorn-on-blue': '#1c5a96',
    '--posthorn-on-orange': '#a34a06',
    '--posthorn-on-gray': '#4b5563',
    '--posthorn-on-yellow': '#7a5a00',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8d95a3',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#89a6ec',
    '--posthorn-line': '#363c46',
    '--posthorn-sunken': '#1f2228',
    '--posthorn-on-green': '#8ce99a',
    '--posthorn-on-red': '#ffa8a8',
    '--posthorn-on-blue': '#a5d8ff',
    '--posthorn-on-orange': '#ffc078',
    '--posthorn-on-gray': '#ced4da',
    '--posthorn-on-yellow': '#ffe066',
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
const TINTS = [0.93, 0.85, 0.7, 0.54, 0.4, 0.27, 0.13, 0, -0.2, -0.38]

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
