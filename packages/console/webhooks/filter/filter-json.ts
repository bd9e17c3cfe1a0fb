import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json'

const OPERATORS = [
  ...(['equals', 'in', 'exists', 'less', 'lessOrEqual', 'greater', 'greaterOrEqual'] as const),
  ...(['startsWith', 'contains', 'has', 'changed'] as const),
] as const

type Operator = (typeof OPERATORS)[number]

/** A filter as its JSON, with all digits of its numbers. */
export type FilterJson =
  | { readonly all: readonly FilterJson[] }
  | { readonly any: readonly FilterJson[] }
  | { readonly not: FilterJson }
  | LeafJson

export interface LeafJson {
  readonly path: string
  readonly op: Operator
  readonly value?: unknown
}

/** The filter of a text. Null if the text is no filter; the server says why. */
export function parseFilter(text: string): FilterJson | null {
  try {
    const value = parse(text, null, (digits) => new LosslessNumber(digits))
    return isFilter(value) ? value : null
  } catch {
    return null
  }
}

function isFilter(value: unknown): value is FilterJson {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return false
  const names = Object.keys(value)
  const fields = value as Readonly<Record<string, unknown>>
  if (names.length === 1 && names[0] !== 'path') {
    if (names[0] === 'not') return isFilter(fields['not'])
    const parts = names[0] === 'all' || names[0] === 'any' ? fields[names[0]] : null
    return Array.isArray(parts) && parts.length > 0 && parts.every(isFilter)
  }
  return (
    names.every((name) => ['path', 'op', 'value'].includes(name)) &&
    typeof fields['path'] === 'string' &&
    OPERATORS.some((name) => name === fields['op'])
  )
}
