import { DomainError, type ErrorCode } from '../lib/errors.ts'
import { builder } from './builder.ts'

/*
 * What a caller can do something about is data: mutations answer with a union of their success and these. Each class
 * stands for the domain errors of one code, which are told apart by that code alone.
 */

/** Arguments that break a rule. */
export class ValidationError extends DomainError {
  static override [Symbol.hasInstance](error: unknown) {
    return hasCode(error, 'invalid')
  }
}

/** An id that names nothing of the caller's. */
export class NotFoundError extends DomainError {
  static override [Symbol.hasInstance](error: unknown) {
    return hasCode(error, 'not_found')
  }
}

/** A request that does not go with how things stand. */
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
  description: 'Why something was not done, in words for whoever asked for it.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'A stable word for the kind of error: `invalid`, `not_found` or `conflict`.',
    }),
    message: t.exposeString('message', {
      description: 'What is wrong and what to do about it, in English.',
    }),
  }),
})

builder.objectType('ValidationIssue', {
  description: 'One thing wrong with one field of the input.',
  fields: (t) => ({
    path: t.stringList({
      description: 'Where in the input it is: `["eventSubscriptions", "0"]`. Empty for the whole.',
      resolve: ({ path }) => path.map(String),
    }),
    code: t.exposeString('code', { description: 'A stable word for what is wrong.' }),
    message: t.exposeString('detail', { description: 'What is wrong, in English.' }),
  }),
})

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'The input breaks rules. Everything wrong with it is listed, and nothing was done.',
  interfaces: [UserError],
  fields: (t) => ({
    issues: t.field({
      type: ['ValidationIssue'],
      description: 'Everything that is wrong.',
      resolve: ({ issues }) => [...issues],
    }),
  }),
})

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'The id names nothing that the caller has.',
  interfaces: [UserError],
})

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'The request does not go with how things stand. Nothing was done.',
  interfaces: [UserError],
})
