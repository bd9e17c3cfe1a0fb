import { readdirSync, readFileSync } from 'node:fs'
import { getNamedType, isListType, isNonNullType, isObjectType, isUnionType } from 'graphql'
import { expect, test } from 'vitest'
import { printSchemaWithDirectives, SEMANTIC_NON_NULL } from '../../src/graphql/directives.ts'
import { ERROR_CODES } from '../../src/graphql/error-codes.ts'
import { schema } from '../../src/server/schema.ts'

test('schema.graphql is current', () => {
  const file = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
  expect(printSchemaWithDirectives(schema)).toBe(file)
})

test('extensions.code has only codes that the reference describes', () => {
  const root = new URL('../../src/graphql/', import.meta.url)
  const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, root), 'utf8'))
    .join('\n')
  const used = [...source.matchAll(/code: '([A-Z_]+)'/g)].map(([, code]) => code)
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((code) => !Object.hasOwn(ERROR_CODES, code as string))).toEqual([])
})

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})

/** The arguments that name what a mutation changes. */
const SUBJECTS = ['id', 'ids', 'uid']

test('a mutation names its subject by id or uid, and takes the rest as one input of its own type', () => {
  const odd = mutations.filter(({ name, args }) => {
    const rest = args.filter((argument) => !SUBJECTS.includes(argument.name))
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`
    return rest.some((argument) => argument.name !== 'input' || String(argument.type) !== type)
  })
  expect(odd.map(({ name }) => name)).toEqual([])
})

test('each mutation returns a union of one success and errors that share the interface UserError', () => {
  const wrong = mutations.filter(({ name, type }) => {
    const result = getNamedType(type)
    if (isNonNullType(type) || isListType(type) || !isUnionType(result)) return true
    const operation = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    if (result.name !== `${operation}Result`) return true
    const errors = result.getTypes().filter((member) => member.name !== `${operation}Success`)
    const areErrors = errors.every((error) =>
      error.getInterfaces().some((shared) => shared.name === 'UserError'),
    )
    return errors.length !== result.getTypes().length - 1 || !areErrors
  })
  expect(wrong.map(({ name }) => name)).toEqual([])
})

const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields()).map((field) => ({
        path: `${type.name}.${field.name}`,
        field,
      }))
    : [],
)

const isSemanticNonNull = ({ extensions }: { readonly extensions: object }) =>
  SEMANTIC_NON_NULL in ((extensions as { directives?: object }).directives ?? {})

test('each mutation and each list without its scope is marked, and no marked list has nullable items', () => {
  const marked = fields.filter(({ field }) => isSemanticNonNull(field))
  expect(marked.map(({ path }) => path)).toEqual(
    expect.arrayContaining(mutations.map(({ name }) => `Mutation.${name}`)),
  )
  const pages = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  expect(pages.every(({ field }) => isSemanticNonNull(field))).toBe(true)
  const lists = marked.filter(({ field }) => isListType(field.type))
  expect(lists.length).toBeGreaterThan(2)
  for (const { field } of lists) expect(String(field.type)).toMatch(/!\]$/)
})
