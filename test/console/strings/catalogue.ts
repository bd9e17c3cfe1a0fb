import { en } from '../../../src/console/strings/en.ts'

interface Texts {
  readonly [key: string]: string | Texts
}

const PLURAL = /_(zero|one|other)$/

/** Every text by its key: `webhooks:actions.disable`. */
export const CATALOGUE: ReadonlyMap<string, string> = new Map(
  Object.entries(en as Texts).flatMap(([file, texts]) =>
    entriesOf(texts, '').map(([key, text]) => [`${file}:${key}`, text] as const),
  ),
)

/** The keys as the sources use them: those of plural forms without their endings. */
export const USABLE_KEYS: ReadonlySet<string> = new Set([...CATALOGUE.keys()].map(withoutPlural))

export function withoutPlural(key: string): string {
  return key.replace(PLURAL, '')
}

/** The plural forms of a key: `one`, `other`. */
export function formsOf(key: string): string[] {
  return [...CATALOGUE.keys()].flatMap((full) =>
    withoutPlural(full) === key ? (PLURAL.exec(full)?.[1] ?? []) : [],
  )
}

function entriesOf(texts: string | Texts, path: string): [key: string, text: string][] {
  if (typeof texts === 'string') return [[path, texts]]
  return Object.entries(texts).flatMap(([key, part]) =>
    entriesOf(part, path === '' ? key : `${path}.${key}`),
  )
}
