/** What this browser remembers about an organization: its first steps are done, or its signing secret was shown. */
type Flag = 'first-steps-done' | 'secret-shown'

export function readFlag(flag: Flag, organizationId: string): boolean {
  try {
    return localStorage.getItem(`posthorn.${flag}.${organizationId}`) === 'yes'
  } catch {
    return false
  }
}

export function setFlag(flag: Flag, organizationId: string): void {
  try {
    localStorage.setItem(`posthorn.${flag}.${organizationId}`, 'yes')
  } catch {
    // A browser that stores nothing shows the first steps again.
  }
}
