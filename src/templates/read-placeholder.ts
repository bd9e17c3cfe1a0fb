import { didYouMean } from '../lib/did-you-mean.ts'
import { excerpt } from '../lib/excerpt.ts'
import { type PathStep, parsePath } from '../lib/json-path.ts'
import { type Argument, FUNCTIONS } from './functions.ts'
import { afterQuoted, quoteAt } from './scan-placeholder.ts'
import type { PlaceholderText } from './scan-template.ts'
import { type Apply, MAX_FUNCTIONS, NAMES, type Name } from './template.ts'
import { TemplateError } from './template-error.ts'

/** What stands in a placeholder. */
export interface ReadPlaceholder {
  readonly from:
    | { readonly name: Name }
    | { readonly of: 'data' | 'previous'; readonly steps: readonly PathStep[] }
  readonly functions: readonly Apply[]
}

const SPACE = /[ \t\r\n]*/y
const WORD = /[\p{L}_][\p{L}\p{N}_.]*/uy
const FUNCTION = /[\p{L}_][\p{L}\p{N}_]*/uy
const SCALAR = /(?:true|false|null)\b|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Reads `$.total | default("none")`. Throws `TemplateError`. */
export function readPlaceholder({ text, position, inString }: PlaceholderText): ReadPlaceholder {
  let at = 0

  const errorAt = (start: number, rule: string, remedy: string) =>
    new TemplateError(position + start, rule, remedy, 'invalid_value')

  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }

  function takeCharacter(character: string): boolean {
    take(SPACE)
    if (text[at] !== character) return false
    at += 1
    return true
  }

  function readFrom(): ReadPlaceholder['from'] {
    take(SPACE)
    const start = at
    if (text[at] === '$') return readPath()
    const word = take(WORD)
    if (isName(word)) return { name: word }
    if (word === '') {
      throw errorAt(start, `has a placeholder that begins with ${quoted(text.slice(at))}`, BEGIN)
    }
    const hint = didYouMean(word, NAMES)
    const remedy = hint ? hint.trim() : `For a field of data, write $.${word}.`
    throw errorAt(start, `has the unknown name ${quoted(word)}`, `${remedy} ${NAME_LIST}`)
  }

  function readPath(): ReadPlaceholder['from'] {
    const start = at
    while (at < text.length && !/[\s|]/.test(text[at] as string)) {
      const quote = quoteAt(text, at, inString)
      at = quote === null ? at + 1 : afterQuoted(text, at + quote.length, quote)
    }
    const path = text.slice(start, at).replaceAll('\\"', '"')
    const isPrevious = /^\$previous(?![\p{L}\p{N}_])/u.test(path)
    const steps = parsePath(isPrevious ? `$${path.slice('$previous'.length)}` : path)
    if (steps) return { of: isPrevious ? 'previous' : 'data', steps }
    throw errorAt(start, `has ${quoted(path)}, which is no path`, PATHS)
  }

  function readFunction(): Apply {
    take(SPACE)
    const start = at
    const name = take(FUNCTION)
    const make = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined
    if (!make) {
      const known = Object.keys(FUNCTIONS)
      const given = name === '' ? 'no function after |' : `the unknown function ${quoted(name)}`
      const remedy = `${didYouMean(name, known)} Functions are ${known.join(', ')}.`
      throw errorAt(start, `has ${given}`, remedy.trim())
    }
    const made = make(readArgument())
    if (typeof made === 'string') throw errorAt(start, `has a wrong ${name}`, made)
    return made
  }

  function readArgument(): Argument | undefined {
    if (!takeCharacter('(')) return undefined
    take(SPACE)
    const start = at
    const quote = quoteAt(text, at, inString)
    const json = quote === null ? take(SCALAR) : readText(quote)
    if (json === '') {
      throw errorAt(
        start,
        `has ${quoted(text.slice(at))} where an argument is expected`,
        'An argument is a text in quotes, a number, true, false or null.',
      )
    }
    if (!takeCharacter(')')) {
      throw errorAt(
        at,
        `has ${quoted(text.slice(at))} where ")" is expected`,
        'A function takes one argument between parentheses.',
      )
    }
    return { json }
  }

  /** A text between quotes, as JSON. Between plain double quotes, the escapes of JSON work. */
  function readText(quote: string): string {
    const start = at + quote.length
    at = afterQuoted(text, start, quote)
    const letters = text.slice(start, at - quote.length)
    if (quote !== '"') return JSON.stringify(letters)
    try {
      return JSON.stringify(JSON.parse(`"${letters}"`))
    } catch {
      throw errorAt(
        start,
        `has the text ${quoted(letters)}, which is no string of JSON`,
        'Write \\n for a line break, and \\\\ for a backslash.',
      )
    }
  }

  const from = readFrom()
  const functions: Apply[] = []
  while (takeCharacter('|')) functions.push(readFunction())
  if (at < text.length) {
    throw errorAt(
      at,
      `has ${quoted(text.slice(at))} where "|" or "}}" is expected`,
      'Functions follow after |, such as {{ $.total | default("none") }}.',
    )
  }
  if (functions.length > MAX_FUNCTIONS) {
    throw errorAt(
      0,
      `has a placeholder with ${functions.length} functions`,
      `Use at most ${MAX_FUNCTIONS}.`,
    )
  }
  return { from, functions }
}

const BEGIN =
  'A placeholder begins with a path such as $.order.id or $previous.order.id, or with a name such as event.type.'
const NAME_LIST = `Names are ${NAMES.join(', ')}.`
const PATHS =
  'Write a path such as $.order.id, $.items[0].sku, $.items[*].sku, $["order-id"] or $previous.order.id, of at most 200 characters.'

function isName(text: string): text is Name {
  return (NAMES as readonly string[]).includes(text)
}

function quoted(text: string): string {
  return text === '' ? 'nothing' : JSON.stringify(excerpt(text, 40))
}
