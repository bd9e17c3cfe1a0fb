import { isLosslessNumber } from 'lossless-json'
import { locale } from '../../language/language.ts'
import { type FilterJson, type LeafJson, parseFilter } from './filter-json.ts'

/** What a filter asks, as a clause: `total is greater than 100 and city is "Berlin"`. Null if the text is no filter. */
export function filterInWords(text: string): string | null {
  const filter = parseFilter(text)
  return filter && inWords(filter)
}

const AND = new Intl.ListFormat(locale, { type: 'conjunction' })
const OR = new Intl.ListFormat(locale, { type: 'disjunction' })

function inWords(filter: FilterJson): string {
  if ('all' in filter) return listInWords(filter.all, AND)
  if ('any' in filter) return listInWords(filter.any, OR)
  if ('not' in filter) return `not (${inWords(filter.not)})`
  return leafInWords(filter)
}

function listInWords(parts: readonly FilterJson[], format: Intl.ListFormat): string {
  const [only] = parts
  return parts.length === 1 && only ? inWords(only) : format.format(parts.map(partInWords))
}

/** A list within a list stands in parentheses. */
function partInWords(part: FilterJson): string {
  const isList = ('all' in part && part.all.length > 1) || ('any' in part && part.any.length > 1)
  return isList ? `(${inWords(part)})` : inWords(part)
}

function leafInWords({ path, op, value }: LeafJson): string {
  const field = path === '$' ? 'the data' : path.replace(/^\$\.?/, '')
  const shown = valueInWords(value)
  switch (op) {
    case 'exists':
      return `${field} exists`
    case 'changed':
      return `${field} has changed`
    case 'equals':
      return `${field} is ${shown}`
    case 'in':
      return `${field} is one of ${shown}`
    case 'less':
      return `${field} is less than ${shown}`
    case 'lessOrEqual':
      return `${field} is at most ${shown}`
    case 'greater':
      return `${field} is greater than ${shown}`
    case 'greaterOrEqual':
      return `${field} is at least ${shown}`
    case 'startsWith':
      return `${field} begins with ${shown}`
    case 'contains':
      return `${field} contains ${shown}`
    case 'has':
      return `${field} has the item ${shown}`
  }
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(', ')
  return isLosslessNumber(value) ? value.value : JSON.stringify(value)
}
