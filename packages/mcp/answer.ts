import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Data } from './tool.ts'
import { fence, harmless } from './untrusted.ts'

/** The largest result of a tool in bytes: the text and the structured content together. */
export const MAX_ANSWER_BYTES = 20_000

/** The longest text of a partner in an answer of full size. */
const MAX_TEXT = 8_000

/** The fields that partners, their customers or their servers write. An answer has them under the key `untrusted`. */
export const PARTNER_FIELDS: ReadonlySet<string> = new Set([
  ...['uid', 'url', 'description', 'subscriptions', 'filterText', 'lastError'],
  ...['meaning', 'body', 'headers', 'preview', 'dataText', 'message'],
])

/** 1 is all of it. */
const SIZES = [1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02, 0.01, 0.005]

/** The largest result that fits: with fewer items in its lists, and with shorter texts of partners. */
export function toResult(data: Data): CallToolResult {
  for (const size of SIZES) {
    const result = render(shape(data, size) as Data)
    if (Buffer.byteLength(JSON.stringify(result)) <= MAX_ANSWER_BYTES) return result
  }
  throw new Error(`An answer with ${Object.keys(data).join(', ')} has no size that fits.`)
}

/** As text, with what partners wrote in a fence, and as structured content. */
function render(structuredContent: Data): CallToolResult {
  const untrusted: Record<string, unknown> = {}
  const trusted = JSON.stringify(structuredContent, (name, value) => {
    if (name !== 'untrusted') return value
    const key = `u${Object.keys(untrusted).length + 1}`
    untrusted[key] = value
    return key
  })
  const parts = Object.keys(untrusted).length > 0 ? [trusted, fence(untrusted)] : [trusted]
  return { content: [{ type: 'text', text: parts.join('\n\n') }], structuredContent }
}

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: Data }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly totalCount?: number
}

function shape(value: unknown, size: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shape(item, size))
  if (typeof value !== 'object' || value === null) return value
  if ('edges' in value) return page(value as Connection, size)
  const trusted: Record<string, unknown> = {}
  const untrusted: Record<string, unknown> = {}
  const maxText = Math.max(40, Math.floor(MAX_TEXT * size))
  for (const [name, field] of Object.entries(value)) {
    if (!PARTNER_FIELDS.has(name)) trusted[name] = shape(field, size)
    else if (field !== null) untrusted[name] = harmless(field, maxText)
  }
  return Object.keys(untrusted).length > 0 ? { ...trusted, untrusted } : trusted
}

/** The items that an answer of this size has room for, and the cursor of the next ones. */
function page({ edges, pageInfo, ...rest }: Connection, size: number) {
  const shown = edges.slice(0, Math.max(1, Math.floor(edges.length * size)))
  const end = shown.length < edges.length ? shown.at(-1)?.cursor : pageInfo.endCursor
  const hasNext = shown.length < edges.length || pageInfo.hasNextPage
  return {
    ...rest,
    items: shown.map(({ node }) => shape(node, size)),
    nextCursor: hasNext ? (end ?? null) : null,
  }
}
