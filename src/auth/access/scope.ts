import { z } from 'zod'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { DomainError, fieldIssue, invalid } from '../../lib/errors.ts'

/** The scopes of API keys. `admin` is for operators: every scope, every organization, the catalogue and the jobs. */
export const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'alerts:write',
  'secrets:read',
  'secrets:rotate',
  'events:publish',
  'events:read',
  'deliveries:read',
  'deliveries:write',
  'data:erase',
  'keys:manage',
  'admin',
] as const

export type Scope = (typeof SCOPES)[number]

/** Names in one list. */
const MAX_NAMES = 50

/** At least one scope; repetitions are removed. The issue of unknown names has all of them. */
export const scopesRule = z
  .array(z.string())
  .readonly()
  .superRefine((names, context) => {
    if (names.length < 1 || names.length > MAX_NAMES) {
      const code = names.length < 1 ? 'required' : 'too_many'
      const message = `must have 1 to ${MAX_NAMES} of the scopes ${SCOPES.join(', ')}`
      context.addIssue({ code: 'custom', params: { code }, message })
      return
    }
    const unknown = names.filter((name) => !SCOPES.includes(name as Scope))
    if (unknown.length === 0) return
    const hints = unknown.map(
      (name) => `${JSON.stringify(name.slice(0, 128))}.${didYouMean(name, SCOPES)}`,
    )
    const message = `has no such scope: ${hints.join(' ')} The scopes are ${SCOPES.join(', ')}`
    context.addIssue({ code: 'custom', params: { code: 'unknown_scope' }, message })
  })
  .transform((names) => [...new Set(names)] as Scope[])

/** The rate limits of an API key, on average over ten seconds. */
export interface Limits {
  readonly requestsPerSecond: number
  readonly eventsPerSecond: number
  readonly deliveriesPerSecond: number
}

/** An authenticated caller: the API key with its organization, scopes and rate limits. */
export interface Caller {
  readonly keyId: string
  /** Of the key when it was read: `posthorn.api_key_version`. */
  readonly keyVersion: string
  readonly organizationId: string
  readonly scopes: ReadonlySet<Scope>
  readonly limits: Limits
  /** When the key expires. Null: never. */
  readonly expiresAt: Date | null
  /** The uuid of the console session, if the caller sent a session cookie instead of the key. */
  readonly consoleSessionId: string | null
  /** The person who signed in by OpenID Connect, such as `Name <name@example.com>`. */
  readonly person: string | null
  /** Null: the caller is no portal or frontend session, and has the whole organization. */
  readonly session: CallerSession | null
}

/** The restrictions of a portal or frontend session. */
export interface CallerSession {
  readonly kind: 'portal' | 'frontend'
  /** The uuid of the only webhook that the session can access. Null: the whole organization. */
  readonly webhookId: string | null
  readonly expiresAt: Date
}

/** The credential of the caller, in messages. */
export function credentialOf({ session }: Pick<Caller, 'session'>): string {
  return session ? `${session.kind} session` : 'API key'
}

/**
 * Who a request counts for when requests share memory, time and connections: its organization. A portal or frontend
 * session counts for itself, because its user is a customer of the organization.
 */
export function ownerOf(caller: Caller): string {
  return caller.session ? caller.keyId : caller.organizationId
}

export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin')
}

/** Throws `invalid` with every scope that the caller's own key lacks: a caller cannot grant such scopes. */
export function requireGrantable(caller: Caller, scopes: readonly string[]): void {
  const issues = scopes.flatMap((scope, index) =>
    hasScope(caller, scope as Scope)
      ? []
      : fieldIssue(
          ['scopes', index],
          'scope_not_held',
          `is ${scope}, which the API key in use lacks. Use a key that has it.`,
        ),
  )
  if (issues.length > 0) throw invalid(issues)
}

/** Throws `forbidden` if the caller's key or session lacks the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (hasScope(caller, scope)) return
  throw new DomainError(
    'forbidden',
    `The ${credentialOf(caller)} lacks the scope ${scope}. Use a ${caller.session ? 'session' : 'key'} that has it.`,
  )
}
