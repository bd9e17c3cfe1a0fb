import { isLosslessNumber } from 'lossless-json'
import { locale } from '../../language/language.ts'
import { t } from '../../language/t.ts'
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
  if ('not' in filter) return t('not ({condition})', { condition: inWords(filter.not) })
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
  const field = path === '$' ? t('the data') : path.replace(/^\$\.?/, '')
  const shown = valueInWords(value)
  switch (op) {
    case 'exists':
      return t('{field} exists', { field })
    case 'changed':
      return t('{field} has changed', { field })
    case 'equals':
      return t('{field} is {value}', { field, value: shown })
    case 'in':
      return t('{field} is one of {list}', { field, list: shown })
    case 'less':
      return t('{field} is less than {value}', { field, value: shown })
    case 'lessOrEqual':
      return t('{field} is at most {value}', { field, value: shown })
    case 'greater':
      return t('{field} is greater than {value}', { field, value: shown })
    case 'greaterOrEqual':
      return t('{field} is at least {value}', { field, value: shown })
    case 'startsWith':
      return t('{field} begins with {value}', { field, value: shown })
    case 'contains':
      return t('{field} contains {value}', { field, value: shown })
    case 'has':
      return t('{field} has the item {value}', { field, value: shown })
  }
}

function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(', ')
  return isLosslessNumber(value) ? value.value : JSON.stringify(value)
}
