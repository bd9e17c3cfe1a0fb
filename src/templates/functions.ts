import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import type { WorkBudget } from '../lib/work-budget.ts'
import { dateFormat } from './date-format.ts'
import { firstItems } from './path-slicer.ts'
import { type Apply, MAX_READ_CHARACTERS, MAX_READ_ITEMS, type Value } from './template.ts'
import { excerptOf, textOf } from './value-text.ts'

/** No program prints a time with more digits. */
const MAX_TIME_LENGTH = 100

/** An argument: the JSON text of a text, a number, a boolean or null. */
export type Argument = { readonly json: string }

/** Makes a function of its argument, or says what is wrong with the argument. */
type Make = (argument: Argument | undefined) => Apply | string

/** The functions of placeholders. What is missing, or null, passes through all of them but `default`. */
export const FUNCTIONS: Readonly<Record<string, Make>> = {
  default: (argument) => {
    if (!argument) return 'default needs the value that replaces a missing one: default("none").'
    const replacement = argument.json === 'null' ? null : argument
    return (value, budget) => (isBlank(value, budget) ? replacement : value)
  },
  join: (argument) => {
    const separator = readText(argument)
    if (separator === null) return 'join needs the text between the items: join(", ").'
    return (value, budget) => {
      const items = itemsOf(value, MAX_READ_ITEMS, budget)
      return items ? { text: joinTexts(items, separator) } : value
    }
  },
  first: without('first', (value, budget) => {
    const items = itemsOf(value, 1, budget)
    const [item] = items ?? []
    if (item === undefined) return items ? null : value
    return item === 'null' ? null : { json: item }
  }),
  upper: without('upper', (value) => value && { text: readOf(value).toUpperCase() }),
  truncate: (argument) => {
    const max = Number(argument?.json ?? Number.NaN)
    if (!Number.isInteger(max) || max < 1 || max > MAX_READ_CHARACTERS) {
      return `truncate needs a whole number of characters from 1 to ${MAX_READ_CHARACTERS.toLocaleString('en')}: truncate(100).`
    }
    return (value) => value && { text: excerptOf(textOf(value, max), max) }
  },
  date: (argument) => {
    const format = readText(argument)
    if (format === null) return 'date needs a format: date("yyyy-MM-dd HH:mm").'
    const print = dateFormat(format)
    if (typeof print === 'string') return print
    return (value) => {
      const text = textOf(value, MAX_TIME_LENGTH)
      const time = text.length <= MAX_TIME_LENGTH ? parseRfc3339(text) : null
      return time ? { text: print(time) } : value
    }
  },
}

function without(name: string, apply: Apply): Make {
  return (argument) => (argument ? `${name} takes no argument: write ${name} alone.` : apply)
}

function readText(argument: Argument | undefined): string | null {
  return argument?.json.startsWith('"') ? JSON.parse(argument.json) : null
}

/** Missing, null, an empty list, or a text of white space alone. */
function isBlank(value: Value, budget: WorkBudget): boolean {
  if (value === null) return true
  if ('items' in value) return value.items.length === 0
  if ('json' in value && !value.json.startsWith('"')) {
    return value.json.startsWith('[') && firstItems(value.json, 1, budget).length === 0
  }
  return textOf(value, MAX_READ_CHARACTERS).trim() === ''
}

/** Null for what is no list. */
function itemsOf(value: Value, max: number, budget: WorkBudget): readonly string[] | null {
  if (value === null || 'text' in value) return null
  if ('items' in value) return value.items.slice(0, max)
  return value.json.startsWith('[') ? firstItems(value.json, max, budget) : null
}

function joinTexts(items: readonly string[], separator: string): string {
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    if (item === 'null' || length > MAX_READ_CHARACTERS) continue
    const text = readOf({ json: item })
    length += text.length + separator.length
    texts.push(text)
  }
  return excerptOf(texts.join(separator), MAX_READ_CHARACTERS)
}

function readOf(value: Value): string {
  return excerptOf(textOf(value, MAX_READ_CHARACTERS), MAX_READ_CHARACTERS)
}
