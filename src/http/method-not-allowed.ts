import { HttpRejection } from './http-rejection.ts'

/** The error for a known path with another method; its response has an `Allow` header. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRejection {
  const allow = allowed.toSorted().join(', ')
  return new HttpRejection(
    'method_not_allowed',
    `${method} is not allowed on this path. Its methods are ${allow}.`,
    { headers: { allow } },
  )
}
