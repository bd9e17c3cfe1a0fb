import { formatJson } from '../components/json/format-json.ts'
import { maskUrl } from '../lib/mask-url.ts'

/** A field a line, with lists and texts of several lines below it. A URL goes without what may be a credential. */
export function fieldsAsText(fields: unknown): string {
  return Object.entries(fields ?? {})
    .map(([name, value]) => `${name}: ${name === 'url' ? maskUrl(String(value)) : textOf(value)}`)
    .join('\n')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? (formatJson(value) ?? value) : JSON.stringify(value, null, 2)
}
