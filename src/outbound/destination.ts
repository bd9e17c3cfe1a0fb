import { checkDestinationUrl, type DestinationUrlProblem, unbracketed } from './destination-url.ts'
import type { Refused } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'

/** A URL taken apart once, for the thousands of requests that go to it. */
export type Destination =
  | { readonly refusal: null; readonly origin: Origin; readonly path: string }
  | { readonly refusal: Refused['reason'] }

export interface Origin {
  /** Scheme, host and port, as in `https://example.com:8443`. */
  readonly href: string
  /** A name, or an address without brackets. */
  readonly hostname: string
  readonly port: number
}

const MAX_REMEMBERED = 4_096

export function createDestinationReader(guard: AddressGuard): (url: string) => Destination {
  const remembered = new Map<string, Destination>()
  return (url) => {
    const known = remembered.get(url)
    if (known) return known
    const destination = readDestination(url, guard)
    if (remembered.size >= MAX_REMEMBERED) forgetOldest(remembered)
    remembered.set(url, destination)
    return destination
  }
}

function readDestination(url: string, guard: AddressGuard): Destination {
  const check = checkDestinationUrl(url, guard)
  if (!check.ok) return { refusal: refusalReason(check.code) }
  const { origin, hostname, port, pathname, search } = new URL(url)
  return {
    refusal: null,
    origin: { href: origin, hostname: unbracketed(hostname), port: Number(port || 443) },
    path: pathname + search,
  }
}

function refusalReason(code: DestinationUrlProblem): Refused['reason'] {
  if (code === 'not_https') return 'not-https'
  return code === 'address_not_public' ? 'address-not-public' : 'url-not-allowed'
}

function forgetOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
