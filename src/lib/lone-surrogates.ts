import { type FieldIssue, fieldIssue, invalid } from './errors.ts'

/** These limit the size of the response. One request can contain thousands of lone surrogates, below long keys. */
const MAX_ISSUES = 10
const MAX_PATH_PARTS = 32
const MAX_KEY_LENGTH = 128

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/
const ESCAPED_LONE_SURROGATE =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F]/

/**
 * Whether JSON that was read as UTF-8 has a lone surrogate: half of a UTF-16 pair, such as the escape `\ud800`. Searching
 * the text is faster than `rejectLoneSurrogates`, which finds the field.
 */
export function hasLoneSurrogate(json: string): boolean {
  if (!ESCAPED_SURROGATE.test(json)) return false
  // The backslash that ends an escaped backslash starts no escape.
  return ESCAPED_LONE_SURROGATE.test(json.replaceAll('\\\\', '  '))
}

/**
 * Throws `invalid` if a string or a key in `root`, at any depth, has a lone surrogate. UTF-8 cannot represent it,
 * so Postgres would store U+FFFD instead. Lists up to 10 issues.
 */
export function rejectLoneSurrogates(root: object): void {
  const issues: FieldIssue[] = []
  // Not recursive, because deep nesting would overflow the stack. The loop also visits the containers that it adds.
  const containers: Container[] = [{ value: root, key: '', parent: null }]
  const visit = (value: unknown, key: string | number, parent: Container) => {
    if (!isWellFormed(value) || !isWellFormed(key)) issues.push(loneSurrogate(parent, key))
    if (issues.length === MAX_ISSUES) throw invalid(issues)
    if (typeof value === 'object' && value !== null) containers.push({ value, key, parent })
  }
  for (const container of containers) {
    const { value } = container
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, i, container)
    else for (const [name, item] of Object.entries(value)) visit(item, name, container)
  }
  if (issues.length > 0) throw invalid(issues)
}

/** An object or array, with its place in its parent. */
interface Container {
  readonly value: object
  readonly key: string | number
  readonly parent: Container | null
}

function isWellFormed(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed()
}

function loneSurrogate(container: Container, lastKey: string | number): FieldIssue {
  const keys = [lastKey]
  for (let at = container; at.parent !== null; at = at.parent) keys.push(at.key)
  const path = keys.reverse().slice(0, MAX_PATH_PARTS).map(printable)
  return fieldIssue(
    path,
    'lone_surrogate',
    'has a lone surrogate, such as \\ud800: half of a character. Send the whole character, or remove the half.',
  )
}

function printable(key: string | number): string | number {
  return typeof key === 'number' ? key : key.slice(0, MAX_KEY_LENGTH).toWellFormed()
}
