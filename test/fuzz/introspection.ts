import fc from 'fast-check'

const many = (count: number, each: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ')

/** Everything in the schema down to a depth, with no field selected twice. */
function everything(depth: number): string {
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
  const document = `{ __schema { types { ...${typeAt(depth, 2)} } } }`
  return `${document} ${[...fragments.values()].join(' ')}`
}

/** Lists inside lists, up to the permitted depth and deeper. */
const ladder = (levels: number, field: string, inside: string) =>
  `{ __schema { types { ${`${field} { `.repeat(levels)}${inside}${' }'.repeat(levels)} } } }`

/** Queries that overload a server which does not limit introspection. `introspection` has more aliases and circles. */
export const HOSTILE_INTROSPECTION: Record<string, string> = {
  '95 aliases of fields': `{ __schema { types { ${many(95, (i) => `a${i}: fields { name description args { name } }`)} } } }`,
  'aliases of __type': `{ ${many(48, (i) => `a${i}: __type(name: "Query") { fields { name args { name } } }`)} }`,
  'fragments that double forty times': `{ __schema { types { ...D0 } } } ${many(40, (i) => `fragment D${i} on __Type { ...D${i + 1} ofType { ...D${i + 1} } }`)} fragment D40 on __Type { name }`,
  'fragments in a circle':
    '{ __schema { types { ...A } } } fragment A on __Type { ofType { ...B } } fragment B on __Type { ofType { ...A } }',
  'one field repeated many times': `{ __schema { types { ${'fields { name } '.repeat(180)} } } }`,
  'a ladder of ofType that is too deep': ladder(40, 'ofType', 'name'),
  'a ladder of fields': ladder(6, 'fields { type', `name${' }'.repeat(6)}`),
  'everything, once': everything(4),
  'everything, once, to the bottom': everything(6),
}

const FIELDS: Record<string, Record<string, string>> = {
  __Schema: { types: '__Type', queryType: '__Type', directives: '__Directive', description: '' },
  __Type: {
    name: '',
    description: '',
    kind: '',
    fields: '__Field',
    interfaces: '__Type',
    possibleTypes: '__Type',
    inputFields: '__InputValue',
    enumValues: '__EnumValue',
    ofType: '__Type',
  },
  __Field: { name: '', description: '', type: '__Type', args: '__InputValue' },
  __InputValue: { name: '', defaultValue: '', type: '__Type' },
  __EnumValue: { name: '', isDeprecated: '' },
  __Directive: { name: '', locations: '', args: '__InputValue' },
}

function selectionOn(type: string, depth: number, aliased: boolean): fc.Arbitrary<string> {
  const fields = Object.entries(FIELDS[type] ?? {}).filter(([, of]) => of === '' || depth > 0)
  const field = fc.constantFrom(...fields).chain(([name, of]) => {
    const below =
      of === '' ? fc.constant('') : selectionOn(of, depth - 1, aliased).map((set) => `{ ${set} }`)
    const copies = fc.constantFrom(1, 1, 1, 2, of === '' ? 20 : 3)
    return fc
      .tuple(below, copies)
      .map(([set, count]) => many(count, (i) => `${aliased ? `a${i}: ` : ''}${name} ${set}`))
  })
  return fc.array(field, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
}

/** Introspection of any shape: repetition, aliases, nested and circular fragments, types by name. */
export const introspection: fc.Arbitrary<string> = fc
  .constantFrom(false, false, true)
  .chain((aliased) =>
    fc.record({
      types: selectionOn('__Type', 4, aliased),
      schema: selectionOn('__Schema', 3, aliased),
      shared: selectionOn('__Type', 2, aliased),
      name: fc.constantFrom('Query', 'Webhook', '__Type', 'Nothing'),
      copies: fc.constantFrom(1, 2, 4, 30),
      shape: fc.constantFrom('plain', 'fragments', 'byName', 'circle'),
    }),
  )
  .map(({ types, schema, shared, name, copies, shape }) => {
    if (shape === 'plain') return `{ __schema { ${schema} types { ${types} } } }`
    if (shape === 'byName') {
      return `{ ${many(copies, (i) => `t${i}: __type(name: "${name}") { ${types} }`)} }`
    }
    const last = shape === 'circle' ? '...F0' : ''
    return `{ __schema { types { ${types} ...F0 } } }
      fragment F0 on __Type { ${shared} ofType { ...F1 } fields { type { ...F1 } } }
      fragment F1 on __Type { ${shared} ofType { name ${last} } }`
  })
