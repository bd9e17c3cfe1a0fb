import { readFileSync } from 'node:fs'

export interface Column {
  /** The type as `format_type` prints it. */
  readonly type: string
  /** Null for a list, for which a Prisma schema cannot express nullability. */
  readonly isNullable: boolean | null
}

export interface Table {
  readonly columns: Readonly<Record<string, Column>>
  readonly primaryKey: readonly string[]
  readonly uniques: readonly string[]
  readonly indexes: readonly string[]
}

/** The tables and enums of `prisma/schema.prisma`, by their names in the database. */
export function readPrismaSchema() {
  const text = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^(model|enum) (\w+) \{\n(.*?)^\}/gms)].map(
    ([, kind, name = '', body = '']) => ({ kind, name, lines: linesOf(body) }),
  )
  const models = blocks.filter(({ kind }) => kind === 'model')
  const enums = blocks.filter(({ kind }) => kind === 'enum')
  const types = new Map(enums.map(({ name, lines }) => [name, mapped(lines, name)]))
  const relations = new Set(models.map(({ name }) => name))
  return {
    tables: Object.fromEntries(
      models.map(({ name, lines }) => [mapped(lines, name), readTable(lines, types, relations)]),
    ),
    enums: Object.fromEntries(
      enums.map(({ name, lines }) => [
        mapped(lines, name),
        lines.filter((line) => !line.startsWith('@@')),
      ]),
    ),
  }
}

function linesOf(body: string): string[] {
  return body
    .split('\n')
    .map((line) => line.replace(/\/\/.*/, '').trim())
    .filter((line) => line !== '')
}

function mapped(lines: readonly string[], name: string): string {
  return lines.map((line) => /^@@map\("(\w+)"\)/.exec(line)?.[1]).find(Boolean) ?? name
}

function readTable(
  lines: readonly string[],
  enums: ReadonlyMap<string, string>,
  relations: ReadonlySet<string>,
): Table {
  const fields = lines
    .filter((line) => !line.startsWith('@@'))
    .map((line) => /^(\w+)\s+(\w+(?:\("\w+"\))?)(\[\]|\?)?\s*(.*)$/.exec(line) as RegExpExecArray)
    .filter(([, , type = '']) => !relations.has(type))
    .map(([, name = '', type = '', suffix, attributes = '']) => ({
      name,
      column: /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? name,
      type: `${typeOf(type, attributes, enums)}${suffix === '[]' ? '[]' : ''}`,
      isNullable: suffix === '[]' ? null : suffix === '?',
      isId: /@id\b/.test(attributes),
      isUnique: /@unique\b/.test(attributes),
    }))
  const columnOf = (name: string) => fields.find((field) => field.name === name)?.column ?? name
  const listed = (attribute: string) =>
    lines
      .filter((line) => line.startsWith(`@@${attribute}(`))
      .map((line) => (/\[(.*?)\]/.exec(line)?.[1] ?? '').split(',').map((one) => one.trim()))
      .map((names) => names.map((name) => columnOf(name.replace(/\(.*/, ''))))
  const single = fields.filter(({ isId }) => isId).map(({ column }) => column)
  return {
    columns: Object.fromEntries(
      fields.map(({ column, type, isNullable }) => [column, { type, isNullable }]),
    ),
    primaryKey: single.length > 0 ? single : (listed('id')[0] ?? []),
    uniques: [
      ...fields.filter(({ isUnique }) => isUnique).map(({ column }) => column),
      ...listed('unique').map((columns) => columns.join()),
    ].sort(),
    indexes: listed('index').map((columns) => columns.join()),
  }
}

/** https://www.prisma.io/docs/orm/reference/prisma-schema-reference#model-field-scalar-types */
const DEFAULT_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'boolean',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric(65,30)',
  DateTime: 'timestamp(3) without time zone',
  Json: 'jsonb',
  Bytes: 'bytea',
}

const NATIVE_TYPES: Readonly<Record<string, string>> = {
  Uuid: 'uuid',
  SmallInt: 'smallint',
  Json: 'json',
  Inet: 'inet',
  Date: 'date',
  'Timestamptz(6)': 'timestamp with time zone',
}

function typeOf(type: string, attributes: string, enums: ReadonlyMap<string, string>): string {
  const native = /@db\.(\w+(\(\d+\))?)/.exec(attributes)?.[1]
  const unsupported = /^Unsupported\("(\w+)"\)$/.exec(type)?.[1]
  if (unsupported) return unsupported
  const found = native ? NATIVE_TYPES[native] : (enums.get(type) ?? DEFAULT_TYPES[type])
  if (!found)
    throw new Error(`This test does not know the Postgres type of ${native ?? type}: add it.`)
  return found
}
