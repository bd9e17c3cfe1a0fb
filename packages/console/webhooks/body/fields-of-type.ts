/** A field as the server lists the fields of an event type: those of an object follow the object. */
interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  readonly hasFields: boolean
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

const block = (name: string, lines: readonly string[]) => [`${name} {`, ...indented(lines), '}']

/** The selection of every field of some event types. An object without fields in the list cannot be chosen. */
export function selectAll(
  types: readonly { graphqlType: string; selectableFields: readonly SelectableField[] }[],
): string {
  const parts = types.map(({ graphqlType, selectableFields }) =>
    block(`... on ${graphqlType}`, inside(selectableFields, [])),
  )
  return ['{', ...indented(parts.flat()), '}'].join('\n')
}

function inside(fields: readonly SelectableField[], parent: readonly string[]): string[] {
  const isOwn = ({ path }: SelectableField) =>
    path.length === parent.length + 1 && parent.every((step, index) => step === path[index])
  return fields.filter(isOwn).flatMap(({ name, path, hasFields }) => {
    if (!hasFields) return [name]
    const inner = inside(fields, path)
    return inner.length > 0 ? block(name, inner) : []
  })
}
