/** The query parameters of a search key. */
export const KEY_FILTERS = ['key', 'value'] as const

export type KeyValues = Readonly<Record<(typeof KEY_FILTERS)[number], string | null>>

/** The filter for the API. Null while the path or the value is missing. */
export function readKey({ key, value }: KeyValues): { path: string; equals: string } | null {
  return key !== null && value !== null ? { path: key, equals: value } : null
}
