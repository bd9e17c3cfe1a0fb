/** A field as the server lists the fields of an event type: those of an object follow the object. */
interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  readonly hasFields: boolean
  /** The member of a union that has the field. */
  readonly onType?: string | null | undefined
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

const block = (name: string, lines: readonly string[]) => [`${name} {`, ...indented(lines), '}']

/** The part of a selection that chooses every field of an event type. */
export function allFields(graphqlType: string, fields: readonly SelectableField[]): string[] {
  let at = 0
  function inside(depth: number): string[] {
    const own: string[] = []
    const members = new Map<string, string[]>()
    for (let field = fields[at]; field && field.path.length > depth; field = fields[at]) {
      at++
      const inner = inside(depth + 1)
      // The list ends at a depth. An object without fields in the list cannot be chosen.
      if (field.hasFields && inner.length === 0) continue
      const lines = field.hasFields ? block(field.name, inner) : [field.name]
      if (field.onType == null) own.push(...lines)
      else members.set(field.onType, [...(members.get(field.onType) ?? []), ...lines])
    }
    // The members of a union can be told apart by it.
    if (members.size > 0) own.unshift('__typename')
    return [...own, ...[...members].flatMap(([type, lines]) => block(`... on ${type}`, lines))]
  }
  return block(`... on ${graphqlType}`, inside(0))
}

/** A selection with more lines, at its end. */
export function withLines(selection: string, lines: readonly string[]): string {
  const kept = selection
    .trim()
    .replace(/^\{|\}$/g, '')
    .trimEnd()
  return [
    '{',
    ...(kept.trim() === '' ? [] : [kept.replace(/^\n/, '')]),
    ...indented(lines),
    '}',
  ].join('\n')
}
