import { type PathStep, parsePath, printPath } from '../../lib/json-path.ts'
import { parseRfc3339 } from '../../lib/rfc3339-time.ts'
import { schemaAtPath } from '../../lib/schema-path.ts'

/** A field of the data that a message shows. */
export interface ShownField {
  /** `attendee.email` */
  readonly label: string
  readonly path: string
  /** Whether the value is a time. */
  readonly isTime: boolean
}

/** More would hide the ones that matter. */
export const MAX_SHOWN_FIELDS = 8

/** Deeper fields are rarely what people look for. */
const MAX_DEPTH = 3
const MAX_LABEL_LENGTH = 60

/** A type that nests endlessly, or has a thousand fields, costs no more than this. */
const MAX_LOOKED_AT = 500

/** The fields that the example and the schema show, with one value each; those that are less deep come first. */
export function shownFields(schema: unknown, example: unknown): ShownField[] {
  const found = new Map<string, ShownField>()
  let level: Place[] = [{ steps: [], example, schema: schema }]
  let lookedAt = 0
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: Place[] = []
    for (const place of level) {
      lookedAt += 1
      if (lookedAt > MAX_LOOKED_AT || found.size >= MAX_SHOWN_FIELDS) return [...found.values()]
      const kind = kindOf(place, schema)
      if (kind === 'object') next.push(...placesIn(place))
      else if (kind !== 'other') {
        const field = fieldAt(place.steps, kind === 'time')
        if (field) found.set(field.path, field)
      }
    }
    level = next
  }
  return [...found.values()]
}

interface Place {
  readonly steps: readonly PathStep[]
  /** Undefined: the example does not have the place. */
  readonly example: unknown
  /** The part of the schema, without what it refers to. */
  readonly schema: unknown
}

function kindOf(
  { steps, example, schema }: Place,
  root: unknown,
): 'object' | 'scalar' | 'time' | 'other' {
  if (isObject(example)) return 'object'
  if (Array.isArray(example)) return 'other'
  if (typeof example === 'string') return parseRfc3339(example) ? 'time' : 'scalar'
  if (example !== undefined && example !== null) return 'scalar'
  const { path, types } = schemaAtPath(root, steps)
  if (path !== 'named') return 'other'
  if (types.has('object')) return 'object'
  if (types.has('array')) return 'other'
  return isObject(schema) && schema['format'] === 'date-time' ? 'time' : 'scalar'
}

function placesIn({ steps, example, schema }: Place): Place[] {
  const examples = isObject(example) ? example : {}
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  const names = new Set([...Object.keys(examples), ...Object.keys(properties)])
  return [...names].map((name) => ({
    steps: [...steps, { name }],
    example: Object.hasOwn(examples, name) ? examples[name] : undefined,
    schema: Object.hasOwn(properties, name) ? properties[name] : undefined,
  }))
}

/** Null for what no path can name. */
function fieldAt(steps: readonly PathStep[], isTime: boolean): ShownField | null {
  const path = printPath(steps)
  if (steps.length === 0 || parsePath(path) === null) return null
  const label = path.replace(/^\$\.?/, '')
  return label.length > MAX_LABEL_LENGTH ? null : { label, path, isTime }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
