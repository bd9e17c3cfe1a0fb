import { isIP } from 'node:net'
import type { FailureCode } from './failure-reasons.ts'
import { type AddressGuard, explainNotPublic } from './public-address.ts'

export const MAX_URL_LENGTH = 2_048

interface UrlProblem {
  readonly code: keyof typeof DETAILS | 'address_not_public'
  readonly detail: string
}

const DETAILS = {
  not_a_url:
    'The URL is not valid. Give an absolute URL such as https://example.com/webhooks, with any space or backslash percent-encoded.',
  too_long: `The URL is too long. Give at most ${MAX_URL_LENGTH.toLocaleString('en')} characters.`,
  not_https: 'The URL is not HTTPS. Give one that begins with https://.',
  has_userinfo:
    'The URL contains a user name or password. Remove the part before the @; put credentials in headers.',
  has_fragment:
    'The URL contains a fragment, which is never sent. Remove the # and what follows it.',
  port_not_allowed: 'The port of the URL is not allowed. Use 443 or a port from 1024 up.',
}

const problem = (code: keyof typeof DETAILS): UrlProblem => ({ code, detail: DETAILS[code] })

const THIS_MACHINE = /^http:\/\/(?:127\.[\d.]+|\[::1\]|(?:[\w-]+\.)*localhost)(?:[:/?#]|$)/i

const FORWARD = 'For a server on your own machine, run `posthorn listen --forward` with its URL.'

/** The caller wrote the address in the URL, so naming it reveals nothing about the network. */
function notPublic(why: string): UrlProblem {
  const detail = `The URL's host is not a public address: ${why}. Give a host that can be reached from the internet.`
  return { code: 'address_not_public', detail }
}

/**
 * Checks a webhook's URL by its text alone; null if it is accepted. Host names are not resolved here, so the sender checks
 * every address again when it connects.
 */
export function findUrlProblem(text: string, guard: AddressGuard): UrlProblem | null {
  if (text.length > MAX_URL_LENGTH) return problem('too_long')
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(text) ?? []
  if (scheme === undefined || UNSAFE_CHARACTER.test(text)) return problem('not_a_url')
  if (scheme.toLowerCase() !== 'https') {
    const { code, detail } = problem('not_https')
    return { code, detail: THIS_MACHINE.test(text) ? `${detail} ${FORWARD}` : detail }
  }
  if (ZONE_ID.test(authority ?? ''))
    return notPublic('it has a zone id, which is only meaningful inside one network')
  // The URL standard also accepts `https:host` and `https:///host`, which other parsers read differently.
  if (!authority || !URL.canParse(text)) return problem('not_a_url')
  if (authority.includes('@')) return problem('has_userinfo')
  if (text.includes('#')) return problem('has_fragment')

  // `URL` normalizes decimal, octal, hexadecimal, short, percent-encoded and full-width addresses.
  const { hostname, port } = new URL(text)
  if (hostname.split('.').slice(0, -1).includes('')) return problem('not_a_url')
  if (port !== '' && Number(port) < 1_024) return problem('port_not_allowed')
  return checkHost(hostname, guard)
}

/** White space, control and format characters, and backslashes: `URL` drops or rewrites some, and some are invisible. */
const UNSAFE_CHARACTER = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u

/** The URL standard rejects zone ids (`%25eth0` in RFC 6874) as invalid hosts; this check gives a better reason. */
const ZONE_ID = /^\[[\da-f:.]+%/i

function checkHost(hostname: string, guard: AddressGuard): UrlProblem | null {
  const address = unbracketed(hostname)
  if (isIP(address) !== 0) {
    return guard.permits(address) ? null : notPublic(`${address} ${explainNotPublic(address)}`)
  }
  if (!/(^|\.)localhost\.?$/.test(hostname)) return null
  if (guard.permits('127.0.0.1') || guard.permits('::1')) return null
  return notPublic('localhost is the machine itself (RFC 6761)')
}

/** `[::1]` in a URL becomes `::1` for sockets. */
function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** A parsed webhook URL. */
export interface Destination {
  /** Scheme, host and port, as in `https://example.com:8443`. */
  readonly origin: string
  /** The path and the query. */
  readonly path: string
}

/** Where to send, or why not. */
export function parseDestination(url: string, guard: AddressGuard): Destination | FailureCode {
  const code = findUrlProblem(url, guard)?.code
  if (code === undefined) return split(new URL(url))
  return code === 'not_https' || code === 'address_not_public' ? code : 'url_not_allowed'
}

/** The URL that a request for `url` has on the wire: as the URL standard normalizes it. */
export function requestedUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const { origin, path } = split(parsed)
  return origin + path
}

function split({ origin, pathname, search }: URL): Destination {
  return { origin, path: pathname + search }
}
