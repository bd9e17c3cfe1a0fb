import { rawMembers } from '../../lib/raw-json.ts'
import { unusable } from './catalogue-error.ts'
import { referredText } from './raw-document.ts'

/** In the text of JSON, quotes inside of strings are escaped, so that this finds no text of a string. */
const REFERENCE = /"\$ref"\s*:\s*"([^"\\]*)"/g

const COMPONENT = /^#\/components\/schemas\/([^/]+)/

/**
 * The schema with its components in `$defs`, so that it needs no other document. Null for the schema `true`. The texts stay
 * as they are but for the references.
 */
export function bundleSchema(
  document: ReadonlyMap<string, string>,
  text: string,
  place: string,
): string | null {
  const schema = followed(document, text, place)
  if (schema === 'true') return null
  const needed = new Map<string, string>()
  const rewritten = rewrite(schema)
  if (needed.size === 0) return rewritten
  const members = new Map(rawMembers(rewritten) ?? [])
  members.set(
    '$defs',
    printObject(new Map([...(rawMembers(members.get('$defs') ?? '') ?? []), ...needed])),
  )
  return printObject(members)

  function rewrite(part: string): string {
    return part.replaceAll(REFERENCE, (_, reference: string) => {
      const [all, name] = COMPONENT.exec(reference) ?? []
      const component = all === undefined ? undefined : referredText(document, all)
      if (all === undefined || name === undefined || component === undefined) {
        throw unusable([
          `${place} refers to ${JSON.stringify(reference)}. Refer to "#/components/schemas/…" of the same document.`,
        ])
      }
      if (!needed.has(name)) {
        if (needed.size === MAX_COMPONENTS) throw tooManyComponents(place)
        // Before its own references, which can lead back to the component.
        needed.set(name, '')
        needed.set(name, rewrite(component))
      }
      return `"$ref": "#/$defs/${name}${reference.slice(all.length)}"`
    })
  }
}

/** The component itself, where a schema is only a reference to one. */
function followed(document: ReadonlyMap<string, string>, text: string, place: string): string {
  const seen = new Set<string>()
  let schema = text
  for (;;) {
    const members = rawMembers(schema)
    const reference: unknown = JSON.parse(members?.get('$ref') ?? 'null')
    if (members?.size !== 1 || typeof reference !== 'string' || seen.has(reference)) return schema
    if (seen.size === MAX_COMPONENTS) throw tooManyComponents(place)
    seen.add(reference)
    schema = referredText(document, reference) ?? schema
  }
}

/** Of one event type. A schema of 64 KiB, the largest, has room for fewer. */
const MAX_COMPONENTS = 1_000

function tooManyComponents(place: string): Error {
  return unusable([
    `${place} needs more than ${MAX_COMPONENTS.toLocaleString('en')} components. Refer to fewer.`,
  ])
}

function printObject(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(', ')}}`
}
