import type { Connection } from '../../http/connection.ts'
import { USER_AGENT } from '../../lib/version.ts'

/** The origin of a change, for the audit log. */
export interface Actor {
  readonly source: 'graphql' | 'rest' | 'cli' | 'console' | 'system'
  /** The uuid of the API key. */
  readonly apiKeyId: string | null
  /** The person who signed in by OpenID Connect, such as `Name <name@example.com>`. */
  readonly person: string | null
  /** The remote address of the connection. */
  readonly address: string | null
  /** The value of `x-forwarded-for`. Without a trusted proxy, the client chooses this value. */
  readonly forwardedFor: string | null
  readonly userAgent: string | null
}

/** Posthorn itself. Only for what it does unasked: a change that a caller asks for has the caller as its actor. */
export const SYSTEM: Actor = {
  source: 'system',
  apiKeyId: null,
  person: null,
  address: null,
  forwardedFor: null,
  userAgent: null,
}

/** A person at the command line. */
export const COMMAND_LINE: Actor = { ...SYSTEM, source: 'cli', userAgent: USER_AGENT }

/** The sender of a request. */
export function requestActor(
  source: 'graphql' | 'rest' | 'console',
  apiKeyId: string | null,
  person: string | null,
  { headers, address }: Pick<Connection, 'headers' | 'address'>,
): Actor {
  return {
    source,
    apiKeyId,
    person,
    address: address ?? null,
    forwardedFor: truncate(headers.get('x-forwarded-for')),
    userAgent: truncate(headers.get('user-agent')),
  }
}

const MAX_LENGTH = 200

/** Clients choose these values, which can be long or contain NUL. */
function truncate(text: string | null): string | null {
  return text?.slice(0, MAX_LENGTH).replaceAll('\0', '') ?? null
}
