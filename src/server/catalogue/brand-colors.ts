const WHITE = [255, 255, 255] as const
const BLACK = [0, 0, 0] as const
/** The backgrounds of the page. */
const DARK_PAGE = [26, 27, 30] as const
/** WCAG 2.2, 1.4.3: of text and its background. */
const MIN_CONTRAST = 4.5
const STEPS = 20

type Color = readonly [number, number, number]

/** A color of links on the light and on the dark page: that of the brand, as far as it can be read there. */
export function linkColors(brand: string): { readonly light: string; readonly dark: string } {
  const color = parse(brand)
  return {
    light: print(readable(color, WHITE, BLACK)),
    dark: print(readable(color, DARK_PAGE, WHITE)),
  }
}

function readable(color: Color, page: Color, towards: Color): Color {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(color, towards, step / STEPS)
    if (contrast(mixed, page) >= MIN_CONTRAST) return mixed
  }
  return towards
}

function parse(text: string): Color {
  const number = Number.parseInt(text.slice(1), 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}

const print = (color: Color) =>
  `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`

function mix(from: Color, to: Color, share: number): Color {
  const [red, green, blue] = from.map((part, i) =>
    Math.round(part + (Number(to[i]) - part) * share),
  )
  return [red ?? 0, green ?? 0, blue ?? 0]
}

export function contrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
