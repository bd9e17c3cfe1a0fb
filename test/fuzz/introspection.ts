const many = (count: number, each: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ')

/** Everything in the schema down to a depth, with no field selected twice. */
export function everything(root: string, depth: number): string {
  const fragments = new Map<string, string>()
  const typeAt = (levels: number, lists: number): string => {
    const name = `T${levels}_${lists}`
    if (fragments.has(name)) return name
    fragments.set(name, '')
    const typeSelection = (used: number) =>
      levels > used + 1 ? `type { ...${typeAt(levels - used - 1, lists - 1)} }` : ''
    const parts = [
      'kind name description specifiedByURL isOneOf enumValues(includeDeprecated: true) { name description deprecationReason }',
      levels > 1 ? `ofType { ...${typeAt(levels - 1, lists)} }` : '',
    ]
    if (lists > 0 && levels > 1) {
      const type = typeAt(levels - 1, lists - 1)
      parts.push(`interfaces { ...${type} } possibleTypes { ...${type} }`)
      parts.push(`inputFields { name description defaultValue ${typeSelection(1)} }`)
      const args = `args { name description ${typeSelection(2)} }`
      parts.push(`fields { name description ${typeSelection(1)} ${args} }`)
    }
    fragments.set(name, `fragment ${name} on __Type { ${parts.join(' ')} }`)
    return name
  }
  const document = `{ ${root.replaceAll('TYPE', `...${typeAt(depth, 2)}`)} }`
  return `${document} ${[...fragments.values()].join(' ')}`
}

/** Lists inside lists, up to the permitted depth and deeper. */
const ladder = (levels: number, field: string, inside: string) =>
  `{ __schema { types { ${`${field} { `.repeat(levels)}${inside}${' }'.repeat(levels)} } } }`

/** Queries that overload a server which does not limit introspection. */
export const HOSTILE_INTROSPECTION: Record<string, string> = {
  '95 aliases of fields': `{ __schema { types { ${many(95, (i) => `a${i}: fields { name description args { name } }`)} } } }`,
  'aliases in a fragment of a fragment':
    '{ __schema { types { ...A } } } fragment A on __Type { ...B ... on __Type { a: fields { name } } } fragment B on __Type { b: fields { name } c: fields { name } }',
  'fragments that double forty times': `{ __schema { types { ...D0 } } } ${many(40, (i) => `fragment D${i} on __Type { ...D${i + 1} ofType { ...D${i + 1} } }`)} fragment D40 on __Type { name }`,
  'fragments in a circle':
    '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...B } } fragment B on __Type { ofType { ...A } }',
  'a fragment in itself': '{ __schema { ...A } } fragment A on __Schema { ...A types { name } }',
  'one field repeated many times': `{ __schema { types { ${'fields { name } '.repeat(180)} } } }`,
  'a ladder of ofType': ladder(10, 'ofType', 'name'),
  'a ladder of ofType that is too deep': ladder(40, 'ofType', 'name'),
  'a ladder of fields': ladder(6, 'fields { type', `name${' }'.repeat(6)}`),
  'a ladder of possible types': ladder(5, 'possibleTypes { interfaces', `name${' }'.repeat(5)}`),
  'everything, once': everything('__schema { types { TYPE } }', 4),
  'everything, once, to the bottom': everything('__schema { types { TYPE } }', 6),
  'everything of four types, once': everything(
    'a: __type(name: "Query") { TYPE } b: __type(name: "Mutation") { TYPE } c: __type(name: "Node") { TYPE } d: __type(name: "Webhook") { TYPE }',
    3,
  ),
}
