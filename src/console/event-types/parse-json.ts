/** The parsed value (null for an empty text), or an error message. */
export type ParsedJson =
  | { readonly value: unknown; readonly error: null }
  | { readonly value?: undefined; readonly error: string }

export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { value: null, error: null }
  try {
    return { value: JSON.parse(text), error: null }
  } catch (cause) {
    return { error: `Invalid JSON: ${(cause as Error).message}.` }
  }
}
