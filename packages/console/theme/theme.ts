import {
  type CSSVariablesResolver,
  createTheme,
  darken,
  lighten,
  luminance,
  type MantineColorsTuple,
  rem,
} from '@mantine/core'
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

const DIALOG_TITLE = { fontSize: 'var(--mantine-font-size-md)', fontWeight: 650 }

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
    Modal: { styles: { title: DIALOG_TITLE } },
    Drawer: { styles: { title: DIALOG_TITLE } },
    // The shell's header is the only banner of a page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // A quiet alert: an edge in its color, on the background of the page.
    Alert: {
      styles: {
        root: {
          padding: '2px 0 2px 14px',
          borderInlineStart: '3px solid var(--posthorn-edge)',
          borderRadius: 0,
        },
        title: { fontWeight: 600 },
      },
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

/**
 * For text on the page or on a pale background of the same color, and for dots, edges and bars, which have a contrast of
 * 3 to 1 with the page: each in the light scheme, and in the dark scheme.
 */
const COLORS = {
  green: { text: ['#1c6b31', '#8ce99a'], mark: ['#1f8a5b', '#43b581'] },
  red: { text: ['#b02525', '#ffa8a8'], mark: ['#d03a3a', '#ee6a6a'] },
  blue: { text: ['#1c5a96', '#a5d8ff'], mark: ['#2f74c0', '#5c9ee6'] },
  orange: { text: ['#a34a06', '#ffc078'], mark: ['#c2620c', '#f08c3a'] },
  gray: { text: ['#4b5563', '#ced4da'], mark: ['#7b8494', '#8f98a6'] },
  yellow: { text: ['#7a5a00', '#ffe066'], mark: ['#a67c00', '#e0b93a'] },
  violet: { text: ['#6038a8', '#d0bfff'], mark: ['#7b55c7', '#a58be0'] },
} as const

/** The result of attempts in charts: the class of the status, or no response. */
const RESULTS = { '2xx': 'green', '3xx': 'violet', '4xx': 'yellow', '5xx': 'red', none: 'gray' }

/** Mantine's greys, where they are too pale for small text (WCAG 2.2 requires a contrast of 4.5 to 1), and lines. */
const OTHERS = {
  'mantine-color-dimmed': ['#5b6472', '#a3abb8'],
  'mantine-color-placeholder': ['#68707d', '#8d95a3'],
  'mantine-color-error': ['#bd2323', '#ff8787'],
  'mantine-color-anchor': ['var(--mantine-primary-color-7)', 'var(--mantine-primary-color-3)'],
  'posthorn-line': ['#e3e7ee', '#363c46'],
  'posthorn-sunken': ['#f6f8fb', '#1f2228'],
} as const

export const cssVariables =
  (density?: 'compact' | 'comfortable'): CSSVariablesResolver =>
  () => ({
    variables: {
      '--posthorn-row-height': density === 'compact' ? '32px' : '40px',
      '--posthorn-selected': 'var(--mantine-primary-color-light)',
    },
    light: variablesOf(0),
    dark: variablesOf(1),
  })

function variablesOf(scheme: 0 | 1): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(OTHERS).map(([name, values]) => [`--${name}`, values[scheme]]),
    ...Object.entries(COLORS).flatMap(([name, { text, mark }]) => [
      [`--posthorn-on-${name}`, text[scheme]],
      [`--posthorn-mark-${name}`, mark[scheme]],
    ]),
    ...Object.entries(RESULTS).map(([name, color]) => [
      `--posthorn-chart-${name}`,
      `var(--posthorn-mark-${color})`,
    ]),
  ])
}

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
  return TINTS.map((tint) =>
    tint > 0 ? lighten(color, tint) : darken(color, -tint),
  ) as unknown as MantineColorsTuple
}

/** Darkens a color until white text on it has a contrast of 4.5 to 1. */
export function readable(color: string): string {
  const isReadable = 1.05 / (luminance(color) + 0.05) >= 4.5
  return isReadable ? color : readable(darken(color, 0.05))
}
