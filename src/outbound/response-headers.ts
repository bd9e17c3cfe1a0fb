/** As undici gives them. */
export type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>

export function joinHeaders(headers: UndiciHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

/** About what they take on the wire, with the status line and what separates them. */
export function sizeOfHeaders(headers: UndiciHeaders): number {
  return Object.entries(headers).reduce((sum, field) => sum + field.join().length + 4, 20)
}
