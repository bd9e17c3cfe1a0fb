import { z } from 'zod'
import { fieldIssue, invalid } from '../../lib/errors.ts'
import { type Settings, wholeNumber } from '../../lib/setting.ts'
import { type Caller, hasScope, type Limits, SCOPES, scopesRule } from '../access/scope.ts'

/**
 * Requests: more than a normal client sends, and about a tenth of what one process answers, so that one key cannot use
 * a whole process. Events: more than one Postgres stores for long, so that only a runaway client reaches the limit.
 * Deliveries: more than one worker delivers; an event for ten webhooks reaches the limit a thousand times a second.
 * Publishing counts as events and deliveries only.
 */
export const DEFAULT_LIMITS: Limits = {
  requestsPerSecond: 500,
  eventsPerSecond: 50_000,
  deliveriesPerSecond: 10_000,
}

const MAX_PER_SECOND = 1_000_000
const MOST = MAX_PER_SECOND.toLocaleString('en')

function limit(name: keyof Limits, what: string, more = '') {
  return {
    rule: wholeNumber(1, MAX_PER_SECOND, 'give null for the default')
      .nullable()
      .transform((given) => given ?? DEFAULT_LIMITS[name]),
    description: `The maximum number of ${what} per second, averaged over ten seconds: 1 to ${MOST}, and at most the limit of the calling key unless that key has the scope \`admin\`. ${more}Null, the default: ${DEFAULT_LIMITS[name].toLocaleString('en')}.`,
  } as const
}

export const LIMIT_SETTINGS = {
  requestsPerSecond: limit(
    'requestsPerSecond',
    'requests',
    'Requests that only publish events are not counted. ',
  ),
  eventsPerSecond: limit('eventsPerSecond', 'published events'),
  deliveriesPerSecond: limit(
    'deliveriesPerSecond',
    'deliveries of published events',
    'Publishing that exceeds it succeeds, and the next publishing waits for it. ',
  ),
} as const satisfies Settings

/** The label of a key or session. */
export const keyNameRule = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
  .nullable()

/** All that a caller can set in a new key; only the limits can be changed. */
export const API_KEY_SETTINGS = {
  name: {
    rule: keyNameRule,
    description: 'A label of 1 to 200 characters. Null, the default: none.',
  },
  scopes: {
    rule: scopesRule,
    type: ['Scope'],
    required: true,
    description: `The scopes of the key: at least one of ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. The calling key must have each of them; \`admin\` includes all.`,
  },
  expiresAt: {
    rule: z
      .date()
      .refine((time) => time.getTime() > Date.now(), {
        error: 'must be in the future',
        params: { code: 'in_the_past' },
      })
      .nullable(),
    type: 'DateTime',
    description: 'When the key expires. Null, the default: never.',
  },
  ...LIMIT_SETTINGS,
} as const satisfies Settings

/** Throws `invalid` for limits above those of `grantedBy`, who cannot grant more. */
export function requireLimits(grantedBy: Caller, limits: Partial<Limits>): void {
  if (hasScope(grantedBy, 'admin')) return
  const above = Object.entries(grantedBy.limits).filter(
    ([name, most]) => (limits[name as keyof Limits] ?? 0) > most,
  )
  const issues = above.map(([name, most]) => {
    const rule = `must be at most ${most.toLocaleString('en')}, the limit of the API key in use. Set a lower limit, or use a key with the scope admin.`
    return fieldIssue([name], 'limit_not_held', rule)
  })
  if (issues.length > 0) throw invalid(issues)
}
