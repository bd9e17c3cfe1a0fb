import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, invalid } from '../lib/errors.ts'

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
    throw invalid([
      {
        path: ['headers'],
        code: 'header_value_required',
        detail: `headers must be given again or removed, ${why}.`,
      },
    ])
  }
  const kept = changes?.filter(({ value }) => typeof value !== 'string') ?? namesOf(stored)
  const issues = kept.map(({ name }) => ({
    path: ['headers', name, 'value'],
    code: 'header_value_required' as const,
    detail: `headers.${name} needs its value again, ${why}. Give the value, remove the header, or use a key with the scope secrets:read.`,
  }))
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
      : [
          {
            path: ['headers', index, 'name'],
            code: 'duplicate_header',
            detail: `headers name ${JSON.stringify(name)} twice.`,
          },
        ],
  )
}

/** Names of headers are case-insensitive. */
function storedValue(headers: Headers, name: string): string | undefined {
  const lower = name.toLowerCase()
  return Object.entries(headers).find(([other]) => other.toLowerCase() === lower)?.[1]
}

function noValueToKeep(name: string, previousName: string, stored: Headers | null): FieldIssue {
  const given = previousName.slice(0, 128)
  const why =
    stored === null
      ? 'needs a value, because no encryption key decrypts the stored one'
      : `needs a value: the webhook has no header ${JSON.stringify(given)} whose value to keep`
  return {
    path: ['headers', name, 'value'],
    code: stored === null ? 'unreadable_header' : 'unknown_header',
    detail: `headers.${name} ${why}.${didYouMean(given, Object.keys(stored ?? {}))}`,
  }
}

/** Whether two destination URLs have the same scheme, host and port. */
function isSameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin
}
