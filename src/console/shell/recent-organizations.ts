const KEY = 'posthorn-recent-organizations'
const MAX_RECENT = 5

interface RecentOrganization {
  readonly id: string
  readonly name: string
}

/** The organizations that this tab opened last, newest first. */
export function recentOrganizations(): readonly RecentOrganization[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
  } catch {
    return []
  }
}

export function rememberOrganization({ id, name }: RecentOrganization): void {
  const others = recentOrganizations().filter((organization) => organization.id !== id)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([{ id, name }, ...others].slice(0, MAX_RECENT)))
  } catch {
    // The browser denies storage.
  }
}
