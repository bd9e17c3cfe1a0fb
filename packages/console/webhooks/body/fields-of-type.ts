/** A field as the server lists the fields of an event type: those of an object follow the object. */
interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  readonly hasFields: boolean
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

const block = (name: string, lines: readonly string[]) => [`${name} {`, ...indented(lines), '}']

interface EventType {
  readonly graphqlType: string
  readonly selectableFields: readonly SelectableField[]
}

/** A selection with every field of the event types that it does not name yet, at its end. */
export function withAllFields(selection: string, types: readonly EventType[]): string {
  const parts = types
    .filter(({ graphqlType }) => !new RegExp(`\\bon ${graphqlType}\\b`).test(selection))
    .map(({ graphqlType, selectableFields }) =>
      block(`... on ${graphqlType}`, inside(selectableFields, [])),
    )
  const begin = selection.trim().replace(/\s*\}$/, '') || '{'
  return [begin, ...indented(parts.flat()), '}'].join('\n')
}

/** The fields of an object. One without fields in the list cannot be chosen. */
function inside(fields: readonly SelectableField[], parent: readonly string[]): string[] {
  const isOwn = ({ path }: SelectableField) =>
    path.length === parent.length + 1 && parent.every((step, index) => step === path[index])
  return fields.filter(isOwn).flatMap(({ name, path, hasFields }) => {
    if (!hasFields) return [name]
    const inner = inside(fields, path)
    return inner.length > 0 ? block(name, inner) : []
  })
}
