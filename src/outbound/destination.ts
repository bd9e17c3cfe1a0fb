import { checkDestinationUrl, type DestinationUrlProblem } from './destination-url.ts'
import type { Refused } from './outcome.ts'
import type { AddressGuard } from './public-address.ts'

/** A URL taken apart once, for the thousands of requests that go to it. */
export interface Destination {
  /** Scheme, host and port, as in `https://example.com:8443`. */
  readonly origin: string
  /** With the query. */
  readonly path: string
}

type Reading =
  | { readonly rejection: null; readonly destination: Destination }
  | { readonly rejection: Refused['reason'] }

const MAX_REMEMBERED = 4_096

export function createDestinationReader(guard: AddressGuard): (url: string) => Reading {
  const remembered = new Map<string, Reading>()
  return (url) => {
    const known = remembered.get(url)
    if (known) return known
    const reading = readDestination(url, guard)
    if (remembered.size >= MAX_REMEMBERED) forgetOldest(remembered)
    remembered.set(url, reading)
    return reading
  }
}

function readDestination(url: string, guard: AddressGuard): Reading {
  const check = checkDestinationUrl(url, guard)
  if (!check.ok) return { rejection: rejectionReason(check.code) }
  const { origin, pathname, search } = new URL(url)
  return { rejection: null, destination: { origin, path: pathname + search } }
}

function rejectionReason(code: DestinationUrlProblem): Refused['reason'] {
  if (code === 'not_https') return 'not-https'
  return code === 'address_not_public' ? 'address-not-public' : 'url-not-allowed'
}

function forgetOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
