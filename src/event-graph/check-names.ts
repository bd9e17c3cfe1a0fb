import { isSchema } from '../lib/schema-path.ts'
import { namesOfTypes } from './describe-catalogue.ts'
import { givenName, NAME_KEYWORD } from './graphql-name.ts'
import type { SourceType } from './model.ts'
import { EVENT_FIELDS, isSpelled, isTypeName, MAX_NAME_LENGTH } from './names.ts'

const MAX_PROBLEMS = 20

/** What is wrong with the names that `x-graphql-name` sets in a schema: rules that the schema breaks. */
export function nameProblems(schema: unknown): string[] {
  const problems: string[] = []
  const todo: unknown[] = [schema]
  // Not recursive, because deep nesting would overflow the stack.
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (typeof node !== 'object' || node === null) continue
    const isRoot = node === schema
    if (isSchema(node)) {
      const problem = problemOf(node, isRoot)
      if (problem !== null) problems.push(problem)
      problems.push(...takenNames(node['properties'], isRoot ? EVENT_FIELDS : []))
    }
    // Pushed one by one, because a call has a limited number of arguments.
    for (const value of Object.values(node)) if (value !== undefined) todo.push(value)
  }
  return problems.slice(0, MAX_PROBLEMS)
}

function problemOf(schema: Readonly<Record<string, unknown>>, isRoot: boolean): string | null {
  // The properties of data can have any name, this one too: their schemas are objects.
  const name = Object.hasOwn(schema, NAME_KEYWORD) ? schema[NAME_KEYWORD] : undefined
  if (name === undefined || typeof name === 'object' || typeof name === 'boolean') return null
  const shown = JSON.stringify(name)
  if (isRoot && !(typeof name === 'string' && isTypeName(name))) {
    return `has the ${NAME_KEYWORD} ${shown}, but the name of an event type is a capital letter with letters and digits, at most ${MAX_NAME_LENGTH}, and none of the event graph itself such as Event. Choose another name.`
  }
  if (typeof name === 'string' && isSpelled(name)) return null
  return `has the ${NAME_KEYWORD} ${shown}, but a name of GraphQL has letters, digits and _, at most ${MAX_NAME_LENGTH}, begins with no digit, and not with __. Choose another name.`
}

/** The names that two properties of an object would have. */
function takenNames(properties: unknown, reserved: readonly string[]): string[] {
  if (!isSchema(properties)) return []
  const given = Object.entries(properties).map(([name, schema]) => ({
    name,
    given: givenName(schema),
  }))
  const taken = new Set([
    ...reserved,
    ...given.filter((one) => one.given === null).map(({ name }) => name),
  ])
  return given.flatMap(({ name, given: wanted }) => {
    if (wanted === null) return []
    if (!taken.has(wanted)) {
      taken.add(wanted)
      return []
    }
    return [
      `names the property ${JSON.stringify(name)} ${wanted} with ${NAME_KEYWORD}, but another field beside the property has that name. Choose another name.`,
    ]
  })
}

/** The names of event types that other event types have: a sentence for each. `catalogue` has both. */
export function takenTypeNames(
  catalogue: readonly SourceType[],
  changed: ReadonlySet<string>,
): { readonly eventType: string; readonly rule: string }[] {
  return catalogue
    .filter(({ name, schema }) => changed.has(name) && schema?.includes(NAME_KEYWORD))
    .flatMap(({ name, schema }) => {
      const given = givenName(JSON.parse(schema ?? 'null'))
      const others = namesOfTypes(catalogue.filter((one) => one.name !== name))
      const [holder] = [...others].find(([, typeName]) => typeName === given) ?? []
      if (holder === undefined) return []
      const rule = `has the ${NAME_KEYWORD} ${JSON.stringify(given)}, which is the name of the event type ${holder}. Choose another name.`
      return [{ eventType: name, rule }]
    })
}
