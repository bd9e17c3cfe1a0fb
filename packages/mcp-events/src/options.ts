import type { ServerContext } from '@modelcontextprotocol/server'
import type { OfferedEvent } from './offered-event.ts'

/** Who subscribes: what a subscription belongs to. */
export interface Principal {
  /** The id of the subject, such as `sub` of its token. Never a name that another subject can get. */
  readonly id: string
  /** The organization of Posthorn whose events the principal may have: `org_…`. Default: that of the API key. */
  readonly organization?: string | undefined
}

/** What a principal asks for. */
export interface SubscriptionRequest {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** How long a subscription lasts without another call of `events/subscribe`, in milliseconds. */
export interface TtlOptions {
  /** For a call without `ttlMs`. @default 86400000 (a day) */
  readonly defaultMs?: number | undefined
  /** A shorter wish is raised to this. @default 60000 (a minute) */
  readonly minMs?: number | undefined
  /** A longer wish, and one without an end, is lowered to this. @default 604800000 (a week) */
  readonly maxMs?: number | undefined
}

export interface EventsOptions {
  /** The GraphQL endpoint of Posthorn: `https://webhooks.example.com/graphql`. */
  readonly url: string
  /**
   * The API key, with the scopes `webhooks:read`, `webhooks:write` and `secrets:rotate`; or with `admin`, if principals name
   * their organizations. A function returns the key of a principal, or for the list of events the key for `null`.
   */
  readonly token: string | ((principal: Principal | null) => string | Promise<string>)
  /** The authenticated principal of a request, or null: then `events/subscribe` is forbidden. Check the token before. */
  readonly principal: (context: ServerContext) => Principal | null | Promise<Principal | null>
  /**
   * The events that are offered, by the names of event types in the catalogue of Posthorn. An event that is not named is not
   * offered.
   */
  readonly events: Readonly<Record<string, OfferedEvent>>
  /** Whether a principal may subscribe to an event with these arguments. @default every principal may */
  readonly authorize?:
    | ((principal: Principal, request: SubscriptionRequest) => boolean | Promise<boolean>)
    | undefined
  readonly ttl?: TtlOptions | undefined
}

const KNOWN = ['url', 'token', 'principal', 'events', 'authorize', 'ttl']
const KNOWN_TTL = ['defaultMs', 'minMs', 'maxMs']

export interface Ttl {
  readonly defaultMs: number
  readonly minMs: number
  readonly maxMs: number
}

/** The bounds with their defaults. Throws a `TypeError` for options that cannot be used. */
export function checkOptions({ ttl = {}, ...options }: EventsOptions): Ttl {
  requireKnown({ ttl, ...options }, KNOWN, '')
  requireKnown(ttl, KNOWN_TTL, 'ttl.')
  if (!URL.canParse(options.url))
    throw new TypeError('url must be the URL of the GraphQL endpoint.')
  for (const name of ['principal', 'authorize'] as const) {
    const value = options[name]
    if (name === 'authorize' && value === undefined) continue
    if (typeof value !== 'function') throw new TypeError(`${name} must be a function.`)
  }
  const { minMs = 60_000, maxMs = 604_800_000, defaultMs = Math.min(86_400_000, maxMs) } = ttl
  if (
    !(minMs > 0 && minMs <= defaultMs && defaultMs <= maxMs && maxMs < Number.POSITIVE_INFINITY)
  ) {
    throw new TypeError('ttl must have 0 < minMs <= defaultMs <= maxMs, in milliseconds.')
  }
  return { minMs, defaultMs, maxMs }
}

function requireKnown(given: object, known: readonly string[], prefix: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`Unknown option ${prefix}${unknown}; the options are ${known.join(', ')}.`)
}
