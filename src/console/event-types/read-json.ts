/** What a person typed as JSON: its value (null when nothing was), or why it is none. */
export type ReadJson =
  | { readonly value: unknown; readonly problem: null }
  | { readonly value?: undefined; readonly problem: string }

export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { value: null, problem: null }
  try {
    return { value: JSON.parse(text), problem: null }
  } catch (error) {
    return { problem: `This is not JSON yet: ${(error as Error).message}.` }
  }
}
