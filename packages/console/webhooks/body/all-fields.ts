/** A field as the server lists the fields of an event type: those of an object follow the object. */
interface SelectableField {
  readonly path: readonly string[]
  readonly name: string
  readonly hasFields: boolean
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`)

const block = (name: string, lines: readonly string[]) => [`${name} {`, ...indented(lines), '}']

/** The part of a selection that chooses every field of an event type. */
export function allFields(graphqlType: string, fields: readonly SelectableField[]): string[] {
  let at = 0
  function inside(depth: number): string[] {
    const own: string[] = []
    for (let field = fields[at]; field && field.path.length > depth; field = fields[at]) {
      at++
      const inner = inside(depth + 1)
      // The list ends at a depth. An object without fields in the list cannot be chosen.
      if (field.hasFields && inner.length === 0) continue
      own.push(...(field.hasFields ? block(field.name, inner) : [field.name]))
    }
    return own
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
