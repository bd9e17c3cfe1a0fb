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
  if (text.trim().startsWith('{')) return parseJson(text)
  const labels: Record<string, string> = {}
  for (const line of text.split('\n').map((one) => one.trim())) {
    const end = line.indexOf('=')
    if (line === '') continue
    if (end < 1) return null
    labels[line.slice(0, end).trim()] = line.slice(end + 1).trim()
  }
  return sorted(labels)
}

/** `team=payments` as the condition of a list. None while the text has no value. */
export function labelFilter(text: string | null) {
  const labels = Object.entries(parseLabels(text ?? '') ?? {})
  return labels.length === 0 ? null : labels.map(([key, value]) => ({ key, value }))
}

function parseJson(text: string): Labels | null {
  try {
    const labels: unknown = JSON.parse(text)
    return Object.values(labels as object).every((value) => typeof value === 'string')
      ? sorted(labels as Labels)
      : null
  } catch {
    return null
  }
}

/** As the server sorts them. */
function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}
