export type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>

export function joinHeaders(headers: UndiciHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

/** The approximate size on the wire in bytes, including the status line and separators. */
export function sizeOfHeaders(headers: UndiciHeaders): number {
  return Object.entries(headers).reduce((sum, field) => sum + field.join().length + 4, 20)
}
