import { MAX_JSON_NESTING } from '../../lib/parse-json.ts'
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
  const path = reference.split('/', MAX_JSON_NESTING).slice(1)
  const name = path.pop() ?? ''
  return membersAt(document, path).get(unescaped(name))
}

/** The members of the object at a pointer. Empty if there is none. */
function membersAt(document: Members, path: readonly string[]): Members {
  const name = path.at(-1)
  if (name === undefined) return document
  const known = read.get(document) ?? new Map<string, Members>()
  read.set(document, known)
  const pointer = path.join('/')
  let members = known.get(pointer)
  if (members === undefined) {
    const text = membersAt(document, path.slice(0, -1)).get(unescaped(name))
    members = rawMembers(text ?? '') ?? new Map()
    known.set(pointer, members)
  }
  return members
}

/** What was read of a document. Many references lead into the same object, which can be most of the document. */
const read = new WeakMap<Members, Map<string, Members>>()

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

/** The first text that describes an event type in one of the objects. A document without one has its name. */
export function descriptionOf(objects: readonly Members[], name: string): string {
  const texts = objects.flatMap((members) =>
    ['description', 'summary', 'title'].map((key) => parsed(members.get(key))),
  )
  return (texts.find((text) => typeof text === 'string' && text.trim() !== '') as string) ?? name
}
