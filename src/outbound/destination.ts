import { LruMap, MAX_IDLE_MS } from '../lib/lru-map.ts'
import { checkDestinationUrl, type DestinationUrlProblem } from './destination-url.ts'
import type { Refused } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'

/** A parsed webhook URL. */
export interface Destination {
  /** Scheme, host and port, as in `https://example.com:8443`. */
  readonly origin: string
  /** The path and the query. */
  readonly path: string
}

type ParsedUrl =
  | { readonly rejection: null; readonly destination: Destination }
  | { readonly rejection: Refused['reason'] }

const MAX_CACHED_URLS = 4_096

/** Returns a function that checks and parses a URL, and caches the result. */
export function createDestinationParser(guard: AddressGuard): (url: string) => ParsedUrl {
  const cache = new LruMap<string, ParsedUrl>({
    maxEntries: MAX_CACHED_URLS,
    maxIdleMs: MAX_IDLE_MS,
  })
  return (url) => {
    const cached = cache.get(url)
    if (cached) return cached
    const parsed = parseDestination(url, guard)
    cache.set(url, parsed)
    return parsed
  }
}

function parseDestination(url: string, guard: AddressGuard): ParsedUrl {
  const check = checkDestinationUrl(url, guard)
  if (!check.ok) return { rejection: rejectionReason(check.code) }
  return { rejection: null, destination: split(new URL(url)) }
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

function rejectionReason(code: DestinationUrlProblem): Refused['reason'] {
  if (code === 'not_https') return 'not-https'
  return code === 'address_not_public' ? 'address-not-public' : 'url-not-allowed'
}
