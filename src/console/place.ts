/**
 * Where in the site a page is. The console of an operator who acts for another organization, and the portal that a host
 * application embeds, are the same pages below another path.
 */
export interface Place {
  readonly kind: 'console' | 'portal'
  /** What all paths of the router begin with. */
  readonly basename: string
  /** Whom an operator acts for: `org_…`. Null: the organization of the API key. */
  readonly organizationId: string | null
}

export function placeOf(pathname: string): Place {
  if (/^\/portal(\/|$)/.test(pathname)) {
    return { kind: 'portal', basename: '/portal', organizationId: null }
  }
  const [basename, organizationId] =
    /^\/console\/as\/(org_[0-9a-z]{26})(?=\/|$)/.exec(pathname) ?? []
  if (basename && organizationId) return { kind: 'console', basename, organizationId }
  return { kind: 'console', basename: '/console', organizationId: null }
}

/** The address of a page for the operator who acts for an organization. It is another place: load it anew. */
export function consoleOf(organizationId: string, path = '/'): string {
  return `/console/as/${organizationId}${path}`
}

export const place = placeOf(location.pathname)
