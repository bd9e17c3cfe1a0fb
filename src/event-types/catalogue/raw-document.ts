import { rawMembers } from '../../lib/raw-json.ts'

/** The members of an object with the text of each. */
export type Members = ReadonlyMap<string, string>

/** The members of an object, or of the one that its `$ref` names. Empty for anything else. */
export function resolved(document: Members, text: string | undefined): Members {
  let members = rawMembers(text ?? '')
  for (let i = 0; i < MAX_REFERENCES; i++) {
    const reference = parsed(members?.get('$ref'))
    if (typeof reference !== 'string') return members ?? new Map()
    members = rawMembers(referredText(document, reference) ?? '')
  }
  return new Map()
}

const MAX_REFERENCES = 20

/** The text at a JSON pointer into the document, such as `#/components/schemas/Order`. */
export function referredText(document: Members, reference: string): string | undefined {
  if (!reference.startsWith('#/')) return undefined
  const [first = '', ...rest] = reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return rest.reduce<string | undefined>(
    (text, key) => (text === undefined ? undefined : rawMembers(text)?.get(key)),
    document.get(first),
  )
}

export function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
