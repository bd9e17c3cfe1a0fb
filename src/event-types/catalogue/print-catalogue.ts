import type { CatalogueType } from './catalogue-type.ts'

/** The file of an export: JSON that `parseCatalogueFile` reads. Schemas and examples have the texts of their authors. */
export function printCatalogue(types: readonly CatalogueType[]): string {
  const items = types.map((type) => `    ${printType(type)}`)
  return `{\n  "eventTypes": [${items.length > 0 ? `\n${items.join(',\n')}\n  ` : ''}]\n}\n`
}

function printType({ schema, example, archived, searchKeys, ...fields }: CatalogueType): string {
  const members = [
    ...Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]),
    ['searchKeys', JSON.stringify(searchKeys)],
    ['archived', JSON.stringify(archived)],
    ['schema', schema ?? 'null'],
    ['example', example ?? 'null'],
  ]
  const lines = members.map(([name, value]) => `      "${name}": ${value}`)
  return `{\n${lines.join(',\n')}\n    }`
}
