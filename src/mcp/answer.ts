import type { CallToolResult } from '@modelcontextprotocol/server'
import { fence, harmless } from './untrusted.ts'

/** The largest result of a tool in bytes: the text and the structured content together. */
export const MAX_ANSWER_BYTES = 20_000

/** The longest text of a partner in an answer of full size. */
export const MAX_TEXT = 8_000

/** What a tool found out. */
export interface Answer {
  /** One or two sentences, without text of partners. */
  readonly summary: string
  /** The data at a size: 1 is all of it. Text of partners is under keys named `untrusted`. */
  build(size: number): Data
}

export type Data = Readonly<Record<string, unknown>>

const SIZES = [1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02, 0.01, 0.005]

/** The largest result that fits. */
export function toResult({ summary, build }: Answer): CallToolResult {
  for (const size of SIZES) {
    const result = render(summary, build(size), Math.max(40, Math.floor(MAX_TEXT * size)))
    if (Buffer.byteLength(JSON.stringify(result)) <= MAX_ANSWER_BYTES) return result
  }
  throw new Error(`The answer "${summary}" has no size that fits.`)
}

function render(summary: string, data: Data, maxText: number): CallToolResult {
  const structuredContent = mapUntrusted(data, (value) => harmless(value, maxText)) as Data
  const untrusted: Record<string, unknown> = {}
  const trusted = mapUntrusted(structuredContent, (value) => {
    const name = `u${Object.keys(untrusted).length + 1}`
    untrusted[name] = value
    return name
  })
  const parts = [summary, JSON.stringify(trusted)]
  if (Object.keys(untrusted).length > 0) parts.push(fence(untrusted))
  return { content: [{ type: 'text', text: parts.join('\n\n') }], structuredContent }
}

function mapUntrusted(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapUntrusted(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === 'untrusted' ? change(item) : mapUntrusted(item, change),
    ]),
  )
}
