import {
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  luminance,
  mergeMantineTheme,
  toRgba,
} from '@mantine/core'
import { describe, expect, test } from 'vitest'
import { cssVariables, readable, theme, themeOfColor } from '../../packages/console/theme/theme.ts'

/** WCAG 2.2: for text, and for marks such as dots, edges and bars. */
const TEXT = 4.5
const MARK = 3

const COLORS = ['green', 'red', 'blue', 'orange', 'gray', 'yellow', 'violet']
const TEXTS = [
  ...COLORS.map((color) => `--posthorn-on-${color}`),
  ...['text', 'dimmed', 'error', 'anchor'].map((name) => `--mantine-color-${name}`),
]
const MARKS = [
  ...COLORS.map((color) => `--posthorn-mark-${color}`),
  ...['2xx', '3xx', '4xx', '5xx', 'none'].map((name) => `--posthorn-chart-${name}`),
]
/** The page, rows under the pointer and boxes of code, and selected rows. */
const BACKGROUNDS = ['--mantine-color-body', '--posthorn-sunken', '--posthorn-selected']

const SCHEMES = ['light', 'dark'] as const

test('a color of a host that is dark enough stays unchanged', () => {
  expect(readable('#20419a')).toBe('#20419a')
})

describe.each(SCHEMES)('in the %s scheme', (scheme) => {
  const own = colorsOf(theme, scheme)

  test.each([
    ...TEXTS.map((name) => [name, BACKGROUNDS] as const),
    ['--mantine-color-placeholder', BACKGROUNDS.slice(0, 2)] as const,
  ])('the text color %s is readable on each background', (name, backgrounds) => {
    for (const background of backgrounds) {
      expect.soft(contrast(own, name, background), background).toBeGreaterThanOrEqual(TEXT)
    }
  })

  test.each(MARKS)('the mark %s stands out from the page', (name) => {
    expect(contrast(own, name, '--mantine-color-body')).toBeGreaterThanOrEqual(MARK)
  })

  test.each(['#ffffff', '#ffff00', '#ffd43b', '#0b7a4b', '#000000'])(
    'links and buttons in the host color %s are readable',
    (color) => {
      const hosts = colorsOf(themeOfColor(color), scheme)
      expect(
        contrast(hosts, '--mantine-color-anchor', '--mantine-color-body'),
      ).toBeGreaterThanOrEqual(TEXT)
      expect(
        contrast(hosts, '--mantine-color-white', '--mantine-primary-color-filled'),
      ).toBeGreaterThanOrEqual(TEXT)
    },
  )
})

type Variables = Readonly<Record<string, string>>

/** The CSS variables of a theme, as the page has them. */
function colorsOf(given: typeof theme, scheme: (typeof SCHEMES)[number]): Variables {
  const merged = mergeMantineTheme(DEFAULT_THEME, given)
  const [mantine, own] = [defaultCssVariablesResolver(merged), cssVariables()(merged)]
  return { ...mantine.variables, ...mantine[scheme], ...own.variables, ...own[scheme] }
}

/** As WCAG 2.2 defines it. A transparent background lies on the page. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(variables: Variables, text: string, background: string): number {
  const over = toRgba(resolve(variables, background))
  const page = toRgba(resolve(variables, '--mantine-color-body'))
  const mixed = (['r', 'g', 'b'] as const).map(
    (each) => over[each] * over.a + page[each] * (1 - over.a),
  )
  const [darker = 0, lighter = 0] = [resolve(variables, text), `rgb(${mixed.join(', ')})`]
    .map(luminance)
    .toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The color of a variable, which may name another one. */
function resolve(variables: Variables, name: string): string {
  const value = variables[name]
  if (value === undefined) throw new Error(`There is no variable ${name}.`)
  const [, other] = /^var\((--[\w-]+)\)$/.exec(value) ?? []
  return other === undefined ? value : resolve(variables, other)
}
