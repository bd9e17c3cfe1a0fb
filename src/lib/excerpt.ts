/** The beginning of a text of any length, with `…` if it is longer. */
export function excerpt(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
}
