import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'

type Headers = Readonly<Record<string, string>>

/** A header of the new set of a webhook. Without a value, the header keeps the stored value of `previousName`. */
export interface HeaderChange {
  readonly name: string
  readonly value?: string | null | undefined
  /** Default: `name`. */
  readonly previousName?: string | null | undefined
}

/**
 * The new set of headers, values by name, and the issues of those without a value to keep. `stored` is null if no key
 * decrypts the stored headers.
 */
export function applyHeaderChanges(
  changes: readonly HeaderChange[],
  stored: Headers | null,
): { headers: Record<string, string>; issues: FieldIssue[] } {
  const issues = repeatedNames(changes)
  const entries = changes.map(({ name, value, previousName }): [string, string] => {
    if (typeof value === 'string') return [name, value]
    const kept = storedValue(stored ?? {}, previousName ?? name)
    if (kept !== undefined) return [name, kept]
    issues.push(noValueToKeep(name, previousName ?? name, stored))
    return [name, '']
  })
  return { headers: Object.fromEntries(entries), issues }
}

/**
 * Throws `invalid` if an update of the URL would send a stored value to another origin, with an issue for each header
 * whose value is needed again. Without `changes`, all stored headers stay.
 */
export function requireValuesForOrigin(
  url: string,
  previousUrl: string,
  changes: readonly HeaderChange[] | undefined,
  stored: Headers | null,
): void {
  if (isSameOrigin(url, previousUrl)) return
  const why = `because the URL moves to another origin, ${new URL(url).origin}`
  if (changes === undefined && stored === null) {
    const rule = `must be given again or removed, ${why}.`
    throw invalid([fieldIssue(['headers'], 'header_value_required', rule)])
  }
  const kept = changes?.filter(({ value }) => typeof value !== 'string') ?? namesOf(stored)
  const rule = `is needed again, ${why}. Give the value, remove the header, or use a key with the scope secrets:read.`
  const issues = kept.map(({ name }) =>
    fieldIssue(['headers', name, 'value'], 'header_value_required', rule),
  )
  if (issues.length > 0) throw invalid(issues)
}

function namesOf(headers: Headers | null): { readonly name: string }[] {
  return Object.keys(headers ?? {}).map((name) => ({ name }))
}

/** An object keeps only one of the values of a repeated name. */
function repeatedNames(headers: readonly { readonly name: string }[]): FieldIssue[] {
  return headers.flatMap(({ name }, index) =>
    headers.findIndex((other) => other.name === name) === index
      ? []
      : fieldIssue(
          ['headers', index, 'name'],
          'duplicate_header',
          `repeats ${JSON.stringify(name)}.`,
        ),
  )
}

/** Names of headers are case-insensitive. */
function storedValue(headers: Headers, name: string): string | undefined {
  const lower = name.toLowerCase()
  return Object.entries(headers).find(([other]) => other.toLowerCase() === lower)?.[1]
}

function noValueToKeep(name: string, previousName: string, stored: Headers | null): FieldIssue {
  const given = previousName.slice(0, 128)
  const path = ['headers', name, 'value']
  if (stored === null) {
    const rule = 'is needed, because no encryption key decrypts the stored one.'
    return fieldIssue(path, 'unreadable_header', rule)
  }
  const rule = `is needed: the webhook has no header ${JSON.stringify(given)} whose value to keep.`
  return fieldIssue(path, 'unknown_header', rule + didYouMean(given, Object.keys(stored)))
}

/** Whether two destination URLs have the same scheme, host and port. */
function isSameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin
}
