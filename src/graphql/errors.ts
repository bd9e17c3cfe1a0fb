import { DomainError, type ErrorCode, listedIssues } from '../lib/errors.ts'
import { builder } from './builder.ts'

/*
 * Errors that a caller can act on are data: a mutation returns a union of its success and these types. Each class
 * matches the `DomainError`s of one code.
 */
export const ValidationError = errorOf('invalid')
export const NotFoundError = errorOf('not_found')
export const ConflictError = errorOf('conflict')

function errorOf(code: ErrorCode) {
  return class extends DomainError {
    static override [Symbol.hasInstance](error: unknown) {
      return error instanceof DomainError && error.code === code
    }
  }
}

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'The kind of an error that the caller can act on, spelled as in REST.',
  values: {
    invalid: { value: 'invalid', description: 'The input breaks a rule.' },
    not_found: { value: 'not_found', description: 'The organization has no such object.' },
    conflict: { value: 'conflict', description: 'The current state does not allow the request.' },
  } as Record<ErrorCode, { value: ErrorCode; description: string }>,
})

const UserError = builder.interfaceType('UserError', {
  description: 'An error that the caller can act on. Nothing was changed.',
  fields: (t) => ({
    code: t.expose('code', { type: UserErrorCode, description: 'The kind of the error.' }),
    message: t.exposeString('message', {
      description: 'What is wrong and how to fix it, in English.',
    }),
  }),
})

builder.objectType('ValidationIssue', {
  description: 'One problem with one field of the input.',
  fields: (t) => ({
    path: t.stringList({
      description: 'The path in the input: `["eventSubscriptions", "0"]`. Empty: all.',
      resolve: ({ path }) => path.map(String),
    }),
    code: t.exposeString('code', {
      description: 'The rule that the field breaks, as in REST: new ones come.',
    }),
    message: t.exposeString('detail', { description: 'What is wrong, in English.' }),
  }),
})

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'The input is invalid: up to 100 problems. Nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    issues: t.field({
      type: ['ValidationIssue'],
      description: 'The first 100 problems with the input.',
      resolve: (error) => [...listedIssues(error)],
    }),
  }),
})

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The organization has no object with this id.',
  interfaces: [UserError],
})

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The current state does not allow the request. Nothing was changed.',
  interfaces: [UserError],
})
