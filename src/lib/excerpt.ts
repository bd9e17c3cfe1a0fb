/** The beginning of a text of any length, with `…` if it is longer. */
export function excerpt(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
}

/** A text of somebody else as one line of visible characters: no line break, control, bidirectional or zero-width character. */
export function oneLine(text: string, maxLength: number): string {
  const visible = text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
  return excerpt(visible.replace(/[\p{Cc}\p{Cs}\p{Z}]+/gu, ' ').trim(), maxLength)
}
