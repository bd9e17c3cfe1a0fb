import { isIP } from 'node:net'
import { type AddressGuard, explainNotPublic } from './public-address.ts'

export const MAX_URL_LENGTH = 2_048

export type DestinationUrlProblem =
  | 'not_a_url'
  | 'too_long'
  | 'not_https'
  | 'has_userinfo'
  | 'has_fragment'
  | 'port_not_allowed'
  | 'address_not_public'

export type DestinationUrlCheck =
  | { ok: true; url: string }
  | { ok: false; code: DestinationUrlProblem; detail: string }

/**
 * The rule for a webhook's URL, told from its text alone: names are not resolved here, so the sender's connector judges
 * every address again. An accepted URL is kept as it was given.
 */
export function checkDestinationUrl(url: string, guard: AddressGuard): DestinationUrlCheck {
  const problem = findProblem(url, guard)
  if (problem === null) return { ok: true, url }
  if (typeof problem === 'string') return { ok: false, code: problem, detail: DETAILS[problem] }
  return { ok: false, code: 'address_not_public', detail: describeNotPublic(problem.why) }
}

const DETAILS: Record<Exclude<DestinationUrlProblem, 'address_not_public'>, string> = {
  not_a_url:
    'The URL cannot be read. Give an absolute URL such as https://example.com/webhooks, with any space or backslash percent-encoded.',
  too_long: `The URL is too long. Give at most ${MAX_URL_LENGTH.toLocaleString('en')} characters.`,
  not_https: 'The URL is not HTTPS. Give one that begins with https://.',
  has_userinfo:
    'The URL contains a user name or password. Take out the part before the @; put credentials in headers.',
  has_fragment:
    'The URL contains a fragment, which is never sent. Take out the # and what follows it.',
  port_not_allowed: 'The URL names a port that is not allowed. Use 443 or a port from 1024 up.',
}

/** The caller wrote the address, so the reason tells nothing that they did not know. */
function describeNotPublic(why: string): string {
  return `The URL's host is not a public address: ${why}. Give a host that can be reached from the internet.`
}

type Problem = Exclude<DestinationUrlProblem, 'address_not_public'> | NotPublic

interface NotPublic {
  readonly why: string
}

function findProblem(text: string, guard: AddressGuard): Problem | null {
  if (text.length > MAX_URL_LENGTH) return 'too_long'
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(text) ?? []
  if (scheme === undefined || UNSAFE_CHARACTER.test(text)) return 'not_a_url'
  if (scheme.toLowerCase() !== 'https') return 'not_https'
  if (ZONE_ID.test(authority ?? ''))
    return { why: 'it has a zone id, which leads into one network' }
  // The URL standard also reads `https:host` and `https:///host`. Nobody means that, and other readers differ.
  if (!authority || !URL.canParse(text)) return 'not_a_url'
  if (authority.includes('@')) return 'has_userinfo'
  if (text.includes('#')) return 'has_fragment'

  // The parser has turned decimal, octal, hexadecimal, short, percent-encoded and full-width addresses into plain ones.
  const { hostname, port } = new URL(text)
  if (hostname.split('.').slice(0, -1).includes('')) return 'not_a_url'
  if (port !== '' && Number(port) < 1_024) return 'port_not_allowed'
  return judgeHost(hostname, guard)
}

/** White space, controls and backslashes: the parser would drop or rewrite them, and invisible ones mislead readers. */
const UNSAFE_CHARACTER = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u

/** The URL standard has no zone ids (RFC 6874 wrote them `%25eth0`), so it would say only that there is no host. */
const ZONE_ID = /^\[[\da-f:.]+%/i

function judgeHost(hostname: string, guard: AddressGuard): NotPublic | null {
  const address = unbracketed(hostname)
  if (isIP(address) !== 0) {
    return guard.permits(address) ? null : { why: `${address} ${explainNotPublic(address)}` }
  }
  if (!/(^|\.)localhost\.?$/.test(hostname)) return null
  if (guard.permits('127.0.0.1') || guard.permits('::1')) return null
  return { why: 'localhost is the machine itself (RFC 6761)' }
}

/** `[::1]` as it stands in a URL -> `::1` as sockets want it. */
export function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
