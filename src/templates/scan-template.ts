import { excerpt } from '../lib/excerpt.ts'
import { scanPlaceholder } from './scan-placeholder.ts'
import { TemplateError } from './template-error.ts'

/** The text of a placeholder between its braces. */
export interface PlaceholderText {
  readonly text: string
  /** Where `text` begins. */
  readonly position: number
  readonly inString: boolean
}

const MAX_LEVELS = 100

const SPACE = /[ \t\r\n]*/y
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** JSON refuses only those control characters that are below U+0020. */
const PLAIN = /(?:[^"\\{\p{Cc}]|[\u007f-\u009f])+/uy
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/**
 * Reads a template as JSON in which placeholders stand inside strings and in place of values. Returns its JSON text without
 * white space, cut at the placeholders: texts and placeholders take turns. Throws `TemplateError`.
 */
export function scanTemplate(template: string): {
  texts: string[]
  placeholders: PlaceholderText[]
} {
  const texts: string[] = ['']
  const placeholders: PlaceholderText[] = []
  let at = 0

  const add = (text: string) => {
    texts[texts.length - 1] += text
  }

  /** What the pattern matches here, or ''. */
  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(template)?.[0] ?? ''
    at += found.length
    return found
  }

  /** Whether the character stands here, after white space. */
  function takeCharacter(character: string): boolean {
    take(SPACE)
    if (template[at] !== character) return false
    at += 1
    add(character)
    return true
  }

  function expected(what: string, remedy: string): TemplateError {
    const rest = template.slice(at)
    const stands = rest === '' ? 'the template ends' : `${JSON.stringify(wordOf(rest))} stands`
    return new TemplateError(at, `is not JSON: ${stands} where ${what} is expected`, remedy)
  }

  function readValue(level: number): void {
    take(SPACE)
    if (level > MAX_LEVELS) {
      throw new TemplateError(at, `is nested more than ${MAX_LEVELS} levels deep`, 'Nest it less.')
    }
    if (template.startsWith('{{', at)) readPlaceholder(false)
    else if (template[at] === '{') readObject(level)
    else if (template[at] === '[') readArray(level)
    else if (template[at] === '"') readString(true)
    else readScalar()
  }

  function readScalar(): void {
    const scalar = take(SCALAR)
    if (scalar === '') throw expected('a value', remedyFor(template.slice(at)))
    add(scalar)
  }

  function readObject(level: number): void {
    takeCharacter('{')
    if (takeCharacter('}')) return
    do {
      take(SPACE)
      if (template[at] !== '"') throw expected('a name', remedyFor(template.slice(at)))
      readString(false)
      if (!takeCharacter(':')) throw expected('":"', 'A name is followed by a colon and its value.')
      readValue(level + 1)
    } while (takeCharacter(','))
    if (!takeCharacter('}')) throw expected('"," or "}"', 'Each object ends with a closing brace.')
  }

  function readArray(level: number): void {
    takeCharacter('[')
    if (takeCharacter(']')) return
    do readValue(level + 1)
    while (takeCharacter(','))
    if (!takeCharacter(']')) throw expected('"," or "]"', 'Each list ends with a closing bracket.')
  }

  function readString(mayHavePlaceholders: boolean): void {
    const start = at
    at += 1
    add('"')
    while (template[at] !== '"') {
      if (template.startsWith('{{', at)) {
        if (!mayHavePlaceholders) {
          throw new TemplateError(
            at,
            'has a placeholder in a name',
            'Put placeholders in values. For two braces as such, write \\u007b{.',
          )
        }
        readPlaceholder(true)
      } else if (at >= template.length) {
        throw new TemplateError(start, 'has a string without end', 'Close it by a double quote.')
      } else {
        const letters = take(PLAIN) || take(ESCAPE) || take(/\{/y)
        if (letters === '') throw strangeLetter(template, at)
        add(letters)
      }
    }
    at += 1
    add('"')
  }

  function readPlaceholder(inString: boolean): void {
    const position = at + 2
    at = scanPlaceholder(template, position, inString)
    placeholders.push({ text: template.slice(position, at), position, inString })
    at += 2
    texts.push('')
  }

  readValue(1)
  take(SPACE)
  if (at < template.length) throw expected('the end', 'A template is one JSON value.')
  return { texts, placeholders }
}

function strangeLetter(template: string, at: number): TemplateError {
  return template[at] === '\\'
    ? new TemplateError(
        at,
        `has the unknown escape ${JSON.stringify(template.slice(at, at + 2))}`,
        'JSON has \\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t and \\u with four hexadecimal digits.',
      )
    : new TemplateError(
        at,
        'has a line break or another control character in a string',
        'Write \\n for a line break, and \\t for a tab.',
      )
}

/** A word, or one character. */
function wordOf(text: string): string {
  return excerpt(/^[\p{L}\p{N}_$.-]+|^./su.exec(text)?.[0] ?? '', 20)
}

function remedyFor(text: string): string {
  if (text.startsWith("'")) return 'Put strings and names in double quotes.'
  if (/^[}\]]/.test(text)) return 'Remove the comma before, or add what is missing.'
  if (/^[\p{L}$]/u.test(text)) {
    return 'Put strings and names in double quotes, and values of the event in {{ and }}.'
  }
  return 'Values are objects, lists, strings, numbers, true, false, null and {{ placeholders }}.'
}
