import { DomainError, type ErrorCode, listedIssues } from '../lib/errors.ts'
import { builder } from './builder.ts'

/*
 * Errors that a caller can act on are data: a mutation returns a union of its success and these types. Each class
 * matches the `DomainError`s of one code.
 */

export class ValidationError extends DomainError {
  static override [Symbol.hasInstance](error: unknown) {
    return hasCode(error, 'invalid')
  }
}

export class NotFoundError extends DomainError {
  static override [Symbol.hasInstance](error: unknown) {
    return hasCode(error, 'not_found')
  }
}

export class ConflictError extends DomainError {
  static override [Symbol.hasInstance](error: unknown) {
    return hasCode(error, 'conflict')
  }
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  if (typeof error !== 'object' || error === null) return false
  return 'name' in error && error.name === 'DomainError' && 'code' in error && error.code === code
}

const UserError = builder.interfaceType('UserError', {
  description: 'An error that the caller can act on. Nothing was changed.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'A stable error code: `invalid`, `not_found` or `conflict`.',
    }),
    message: t.exposeString('message', {
      description: 'What is wrong and how to fix it, in English.',
    }),
  }),
})

builder.objectType('ValidationIssue', {
  description: 'One problem with one field of the input.',
  fields: (t) => ({
    path: t.stringList({
      description:
        'The path in the input, such as `["eventSubscriptions", "0"]`. Empty for the whole input.',
      resolve: ({ path }) => path.map(String),
    }),
    code: t.exposeString('code', { description: 'A stable code for the problem.' }),
    message: t.exposeString('detail', { description: 'What is wrong, in English.' }),
  }),
})

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'The input is invalid. The first 100 problems are listed, and nothing was changed.',
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
