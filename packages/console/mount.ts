/**
 * The path under which the app is mounted. The console, the console of an operator who acts for another organization,
 * and the portal in a host application share their pages.
 */
interface Mount {
  readonly kind: 'console' | 'portal'
  /** The base path of the router. */
  readonly basename: string
  /** The organization that an operator acts for: `org_…`. Null for the organization of the API key. */
  readonly organizationId: string | null
}

export function mountOf(pathname: string): Mount {
  if (/^\/portal(\/|$)/.test(pathname)) {
    return { kind: 'portal', basename: '/portal', organizationId: null }
  }
  const [basename, organizationId] =
    /^\/console\/as\/(org_[0-9a-z]{26})(?=\/|$)/.exec(pathname) ?? []
  if (basename && organizationId) return { kind: 'console', basename, organizationId }
  return { kind: 'console', basename: '/console', organizationId: null }
}

/** A URL in the console of an organization. The router does not cover that path, so use a plain link. */
export function consoleUrl(organizationId: string, path = '/'): string {
  return `/console/as/${organizationId}${path}`
}

export const mount = mountOf(globalThis.location?.pathname ?? '/console')
