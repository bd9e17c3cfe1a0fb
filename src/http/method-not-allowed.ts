import { HttpRejection } from './http-rejection.ts'

/** What to throw where a path exists, but not with this method. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRejection {
  const allow = allowed.toSorted().join(', ')
  return new HttpRejection(
    'method_not_allowed',
    `${method} is not possible here. The methods of this path are ${allow}.`,
    { headers: { allow } },
  )
}
