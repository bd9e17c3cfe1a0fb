import { USER_AGENT } from '../lib/version.ts'

/** Who changes something, and how they asked for it. */
export interface Actor {
  readonly source: 'graphql' | 'rest' | 'cli' | 'console' | 'system'
  /** The uuid of the API key that was used. */
  readonly apiKeyId: string | null
  /** Where the connection came from. */
  readonly address: string | null
  /** Where it began, by what the proxies on the way said; without a proxy of one's own, by what the client claimed. */
  readonly forwardedFor: string | null
  readonly userAgent: string | null
}

/** Posthorn itself, when nobody asked. */
export const SYSTEM: Actor = {
  source: 'system',
  apiKeyId: null,
  address: null,
  forwardedFor: null,
  userAgent: null,
}

/** Whoever works on the machine itself. */
export const COMMAND_LINE: Actor = { ...SYSTEM, source: 'cli', userAgent: USER_AGENT }

interface Asked {
  readonly headers: Pick<Headers, 'get'>
  /** The address of the socket's other end. */
  readonly address: string | undefined
}

/** Whoever sent a request. Its headers are read only when something is changed. */
export function requestActor(
  source: 'graphql' | 'rest' | 'console',
  apiKeyId: string | null,
  { headers, address }: Asked,
): Actor {
  return {
    source,
    apiKeyId,
    address: address ?? null,
    get forwardedFor() {
      return shortened(headers.get('x-forwarded-for'))
    },
    get userAgent() {
      return shortened(headers.get('user-agent'))
    },
  }
}

const MAX_LENGTH = 200

/** Clients may write there what they like. */
function shortened(text: string | null): string | null {
  return text?.slice(0, MAX_LENGTH).replaceAll('\0', '') ?? null
}
