import { hasScope } from '../auth/access/scope.ts'
import { notFound } from '../lib/errors.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'

export type Fields = Parameters<typeof builder.queryFields>[0]

/**
 * Adds fields to `Organization`, and to `Query` as shortcuts for the organization of the caller. One resolver serves
 * both: `organizationOf` says of which organization it answers.
 */
export function organizationFields(fields: Fields): void {
  builder.queryFields(fields)
  builder.prismaObjectFields('Organization', fields as never)
}

/** The uuid of the parent, which is an organization, or nothing in `Query`. */
export function organizationOf(parent: unknown, context: Context): string {
  const { caller } = context
  const { id = caller.organizationId } = (parent ?? {}) as { readonly id?: string }
  // Such an organization is never resolved. This holds it even if a new field leads to one.
  if (id !== caller.organizationId && !hasScope(caller, 'admin')) throw notFound('organization', id)
  return id
}
