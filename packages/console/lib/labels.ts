/** The labels of a webhook or an organization. */
export type Labels = Readonly<Record<string, string>>

export const LABEL_EXAMPLE = 'team=payments'

/** `{ team: 'payments' }` -> `team=payments`, one label a line. Labels that lines cannot have are JSON. */
export function printLabels(labels: Labels): string {
  const lines = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  const text = lines.join('\n')
  const isSame = JSON.stringify(parseLabels(text)) === JSON.stringify(labels)
  return isSame ? text : JSON.stringify(labels, null, 2)
}

/** The labels of a text with one `key=value` a line, or with JSON. Null: the text is neither. */
export function parseLabels(text: string): Labels | null {
  const labels = text.trim().startsWith('{') ? entriesOfJson(text) : entriesOfLines(text)
  const isValid = labels.every(([key, value]) => key !== '' && typeof value === 'string')
  // As the server sorts them.
  if (!isValid) return null
  return Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))) as Labels
}

/** `team=payments` as the condition of a list. None while the text has no value. */
export function labelFilter(text: string | null) {
  const labels = Object.entries(parseLabels(text ?? '') ?? {})
  return labels.length === 0 ? null : labels.map(([key, value]) => ({ key, value }))
}

function entriesOfLines(text: string): [string, unknown][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [key = '', ...value] = line.split('=')
    return [key.trim(), value.length > 0 ? value.join('=').trim() : undefined]
  })
}

function entriesOfJson(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text))
  } catch {
    return [['', null]]
  }
}
