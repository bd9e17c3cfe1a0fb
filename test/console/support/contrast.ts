/**
 * The contrast of a text on a background, as WCAG 2.2 defines it. A transparent background lies on the page.
 * https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastOf(text: string, background: string, page = background): number {
  const { channels, alpha } = parse(background)
  const below = parse(page).channels
  const behind = channels.map(
    (channel, index) => channel * alpha + (below[index] ?? 0) * (1 - alpha),
  )
  const [lighter = 0, darker = 0] = [parse(text).channels, behind]
    .map(luminance)
    .toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** `#rgb`, `#rrggbb` or `rgba(…)`. */
function parse(color: string): { channels: number[]; alpha: number } {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color)
  const digits = short ? `#${[1, 2, 3].map((at) => short[at]?.repeat(2)).join('')}` : color
  if (/^#[0-9a-f]{6}$/i.test(digits)) {
    const channels = [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
    return { channels, alpha: 1 }
  }
  const [, list = ''] = /^rgba\((.+)\)$/.exec(color) ?? []
  const [red, green, blue, alpha] = list.split(',').map(Number)
  if (red === undefined || green === undefined || blue === undefined || alpha === undefined) {
    throw new Error(`Not a color: ${JSON.stringify(color)}.`)
  }
  return { channels: [red, green, blue], alpha }
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
