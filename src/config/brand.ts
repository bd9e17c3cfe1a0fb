import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Who sends, as the page for partners shows it. */
export interface Brand {
  readonly name: string | null
  /** `#rrggbb` */
  readonly color: string | null
  readonly logo: Logo | null
}

export interface Logo {
  readonly type: string
  /** In base64, so that a message between threads can carry the settings. */
  readonly base64: string
}

const MAX_NAME_LENGTH = 100
const MAX_LOGO_BYTES = 262_144
const TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

export function parseBrandName(text: string): string {
  if ([...text].length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(text)) return text
  throw new Error(`give a name of at most ${MAX_NAME_LENGTH} characters on one line.`)
}

export function parseColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase()
  throw new Error('give a color as #rrggbb, such as #2a50b4.')
}

export function readLogo(file: string): Logo {
  const type = TYPES[path.extname(file).toLowerCase()]
  const remedy = 'give the path of an .svg, .png or .webp file of at most 256 KiB.'
  if (type === undefined) throw new Error(remedy)
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new Error(`it cannot be read (${(error as NodeJS.ErrnoException).code}): ${remedy}`)
  }
  if (bytes.length > MAX_LOGO_BYTES) throw new Error(`it has ${bytes.length} bytes: ${remedy}`)
  return { type, base64: bytes.toString('base64') }
}
