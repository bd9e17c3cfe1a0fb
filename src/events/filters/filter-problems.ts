import { type PathStep, printPath } from '../../lib/json-path.ts'
import {
  isSchema,
  listAt,
  propertiesOf,
  type Schema,
  typesOf,
  withReferred,
} from '../../lib/schema-path.ts'
import { standardSchema } from '../../lib/standard-schema.ts'
import { type Filter, leavesOf } from './filter.ts'

/** The paths of a filter that the schema of an event type does not have, such as misspelled ones: a sentence each. */
export function filterProblems(filter: Filter, schema: unknown, typeName: string): string[] {
  const root = isSchema(schema) ? standardSchema(schema) : schema
  const missing = leavesOf(filter).filter(({ path }) => !mayHave(root, path))
  const names = new Set(missing.map(({ path }) => printPath(path).replace(/^\$\./, '')))
  return [...names].map((name) => `The schema of ${typeName} has no \`${name}\`.`)
}

/** Whether a schema names a path, or leaves it open. */
function mayHave(root: unknown, path: readonly PathStep[]): boolean {
  let schemas: readonly Schema[] | null = withReferred(root, [root])
  for (const step of path) {
    const isName = 'name' in step
    if (schemas === null || !typesOf(schemas).has(isName ? 'object' : 'array')) return false
    if (schemas.some((schema) => CHOICES.some((keyword) => schema[keyword] !== undefined)))
      return true
    if (isName) {
      const isOpen = schemas.some(
        ({ patternProperties, additionalProperties = false }) =>
          patternProperties !== undefined || additionalProperties !== false,
      )
      if (isOpen || !schemas.some(({ properties }) => isSchema(properties))) return true
      schemas = propertiesOf(root, schemas).find(({ name }) => name === step.name)?.schemas ?? null
    } else {
      if (schemas.some((schema) => listAt(schema, 'prefixItems').length > 0)) return true
      const items: unknown[] = schemas.map((schema: Schema) => schema['items'])
      schemas = withReferred(root, items)
    }
  }
  return schemas !== null && typesOf(schemas).size > 0
}

/** Keywords whose schemas can name more. */
const CHOICES = ['oneOf', 'anyOf', 'if', 'dependentSchemas', '$dynamicRef']
