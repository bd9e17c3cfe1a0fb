import { isUtf8 } from 'node:buffer'

export type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>

export function joinHeaders(headers: UndiciHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, decode([value].flat().join(', '))]),
  )
}

/** undici decodes values as Latin-1, but most servers that write other letters than ASCII write UTF-8. */
function decode(value: string): string {
  if (!NOT_ASCII.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

const NOT_ASCII = /[\x80-\xff]/

/** The approximate size on the wire in bytes, including the status line and separators. */
export function sizeOfHeaders(headers: UndiciHeaders): number {
  return Object.entries(headers).reduce((sum, field) => sum + field.join().length + 4, 20)
}
