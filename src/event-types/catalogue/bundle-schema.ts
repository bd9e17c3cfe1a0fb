import { rawItems, rawMembers } from '../../lib/raw-json.ts'
import { holdsSchema, holdsSchemas } from '../../lib/standard-schema.ts'
import { unusable } from './catalogue-error.ts'
import { referredText } from './raw-document.ts'

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
  const bundled = moved(schema)
  // Grows meanwhile: a component can need others.
  for (const [name, component] of needed) needed.set(name, moved(component))
  if (needed.size === 0) return schema
  const members = new Map(rawMembers(bundled) ?? [])
  const own = rawMembers(members.get('$defs') ?? '') ?? []
  members.set('$defs', printObject(new Map([...own, ...needed])))
  return printObject(members)

  /** A schema with other references. What looks like one in data, such as in an example, stays. */
  function moved(part: string): string {
    if (!part.includes('"$ref"') && !part.includes('"mapping"')) return part
    return changed(part, (text, keyword) => {
      if (keyword === '$ref') return JSON.stringify(movedReference(JSON.parse(text)))
      if (keyword === 'discriminator') return movedDiscriminator(text)
      if (holdsSchemas(keyword)) return movedEach(text)
      return holdsSchema(keyword) ? movedEach(text, moved) : text
    })
  }

  /** The schemas of a list or of an object; another value by `otherwise`. */
  function movedEach(text: string, otherwise?: (text: string) => string): string {
    const items = rawItems(text)
    if (items) return `[${items.map(moved).join(', ')}]`
    return otherwise ? otherwise(text) : changed(text, moved)
  }

  function movedDiscriminator(text: string): string {
    return changed(text, (mapping, name) => {
      return name === 'mapping' ? changed(mapping, movedTarget) : mapping
    })
  }

  /** A value of a mapping can be the mere name of a component. What is neither stays. */
  function movedTarget(text: string): string {
    const target: unknown = JSON.parse(text)
    if (typeof target !== 'string') return text
    const reference = COMPONENT.test(target) ? target : `#/components/schemas/${target}`
    const isComponent = referredText(document, reference) !== undefined
    return isComponent ? JSON.stringify(movedReference(reference)) : text
  }

  function movedReference(reference: unknown): unknown {
    if (typeof reference !== 'string') return reference
    const [all, name] = COMPONENT.exec(reference) ?? []
    const component = all === undefined ? undefined : referredText(document, all)
    if (all === undefined || name === undefined || component === undefined) {
      throw unusable([
        `${place} refers to ${JSON.stringify(reference)}. Refer to "#/components/schemas/…" of the same document.`,
      ])
    }
    if (!needed.has(name)) {
      if (needed.size === MAX_COMPONENTS) throw tooManyComponents(place)
      needed.set(name, component)
    }
    return `#/$defs/${name}${reference.slice(all.length)}`
  }
}

/** An object with other members. Any other text stays as it is. */
function changed(text: string, change: (member: string, name: string) => string): string {
  const members = rawMembers(text)
  if (!members) return text
  return printObject(new Map([...members].map(([name, member]) => [name, change(member, name)])))
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

/** Of one event type. */
const MAX_COMPONENTS = 1_000

function tooManyComponents(place: string): Error {
  return unusable([
    `${place} needs more than ${MAX_COMPONENTS.toLocaleString('en')} components. Refer to fewer.`,
  ])
}

function printObject(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(', ')}}`
}
