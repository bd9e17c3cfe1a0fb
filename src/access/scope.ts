import { didYouMean } from '../lib/did-you-mean.ts'
import { DomainError, invalid } from '../lib/errors.ts'

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

/** More are no list that somebody wrote. */
const MAX_NAMES = 50

/** Scope names as given by a person -> scopes, without repetitions. Names every unknown one. */
export function parseScopes(names: readonly string[]): Scope[] {
  if (names.length > MAX_NAMES) {
    const detail = `scopes must have at most ${MAX_NAMES} entries, not ${names.length.toLocaleString('en')}.`
    throw invalid([{ path: ['scopes'], code: 'too_many', detail }])
  }
  const unknown = names.filter((name) => !SCOPES.includes(name as Scope))
  if (names.length === 0 || unknown.length > 0) {
    const details = unknown.map(
      (name) =>
        `There is no scope ${JSON.stringify(name.slice(0, 128))}.${didYouMean(name, SCOPES)}`,
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

/** How much a key may ask for, on average over ten seconds. */
export interface Limits {
  readonly requestsPerSecond: number
  readonly eventsPerSecond: number
}

/** Whoever calls: the key they used, its organization, what it may do, and how often. */
export interface Caller {
  readonly keyId: string
  readonly organizationId: string
  readonly scopes: ReadonlySet<Scope>
  readonly limits: Limits
  /** When the key expires. Missing: it does not. */
  readonly expiresAt?: Date
  /** The uuid of the session of the console that stands for the key, if a browser's cookie was used instead. */
  readonly sessionId?: string
  /** If it is a session of the portal. */
  readonly portal?: Portal
}

/** What holds for a session of the portal. */
export interface Portal {
  /** The uuid of the only webhook that it is about. Null: all of the organization. */
  readonly webhookId: string | null
  readonly expiresAt: Date
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
