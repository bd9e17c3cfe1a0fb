import { en } from '../../../src/console/strings/en.ts'

interface Texts {
  readonly [key: string]: string | Texts
}

const PLURAL = /_(zero|one|other)$/

/** The key of every text: `webhooks:actions.disable`. */
export const CATALOGUE: ReadonlySet<string> = new Set(
  Object.entries(en as Texts).flatMap(([file, texts]) =>
    keysOf(texts, '').map((key) => `${file}:${key}`),
  ),
)

/** The keys as the sources use them: those of plural forms without their endings. */
export const USABLE_KEYS: ReadonlySet<string> = new Set([...CATALOGUE].map(withoutPlural))

export function withoutPlural(key: string): string {
  return key.replace(PLURAL, '')
}

/** The plural forms of a key: `one`, `other`. */
export function formsOf(key: string): string[] {
  return [...CATALOGUE].flatMap((full) =>
    withoutPlural(full) === key ? (PLURAL.exec(full)?.[1] ?? []) : [],
  )
}

function keysOf(texts: string | Texts, path: string): string[] {
  if (typeof texts === 'string') return [path]
  return Object.entries(texts).flatMap(([key, part]) =>
    keysOf(part, path === '' ? key : `${path}.${key}`),
  )
}
