import { getNamedType, isListType, isNonNullType, isObjectType, isUnionType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'

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

test('every error type of a mutation implements UserError, and only such types do', () => {
  const errors = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter((type) => type.getInterfaces().some(({ name }) => name === 'UserError'))
  expect(errors.map(({ name }) => name).toSorted()).toEqual([
    'ConflictError',
    'EditConflictError',
    'EndpointVerificationError',
    'NotFoundError',
    'ValidationError',
  ])
})
