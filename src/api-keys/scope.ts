import { didYouMean } from '../did-you-mean.ts'
import { DomainError, invalid } from '../errors.ts'

/** What a key may do. `admin` is for operators: every scope, every organization, the catalogue and the jobs. */
export const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'secrets:read',
  'secrets:rotate',
  'events:publish',
  'events:read',
  'deliveries:read',
  'deliveries:write',
  'keys:manage',
  'admin',
] as const

export type Scope = (typeof SCOPES)[number]

/** Scope names as given by a person -> scopes, without repetitions. Names every unknown one. */
export function parseScopes(names: readonly string[]): Scope[] {
  const unknown = names.filter((name) => !SCOPES.includes(name as Scope))
  if (names.length === 0 || unknown.length > 0) {
    const details = unknown.map(
      (name) => `There is no scope ${JSON.stringify(name)}.${didYouMean(name, SCOPES)}`,
    )
    throw invalid([
      {
        path: ['scopes'],
        code: unknown.length > 0 ? 'unknown_scope' : 'required',
        detail: `${details.join(' ') || 'Give at least one scope.'} The scopes are ${SCOPES.join(', ')}.`,
      },
    ])
  }
  return [...new Set(names as Scope[])]
}

/** Whoever calls: the key they used, its organization and what it may do. */
export interface Caller {
  readonly keyId: string
  readonly organizationId: string
  readonly scopes: ReadonlySet<Scope>
}

export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin')
}

/** Throws `invalid`, naming each, for scopes that a caller may not hand on: those that their own key lacks. */
export function requireGrantable(caller: Caller, scopes: readonly string[]): void {
  const issues = scopes.flatMap((scope, index) =>
    hasScope(caller, scope as Scope)
      ? []
      : [
          {
            path: ['scopes', index],
            code: 'scope_not_held',
            detail: `The API key in use lacks the scope ${scope} and cannot give it to another. Use a key that has it.`,
          },
        ],
  )
  if (issues.length > 0) throw invalid(issues)
}

/** Throws `forbidden` when the caller's key lacks the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (hasScope(caller, scope)) return
  throw new DomainError('forbidden', `The API key lacks the scope ${scope}. Use a key that has it.`)
}
