const keyOf = (organizationId: string) => `posthorn.last-type.${organizationId}`

/** The event type that was published last in this browser. Null if none was, or if the browser stores nothing. */
export function readLastType(organizationId: string): string | null {
  try {
    return localStorage.getItem(keyOf(organizationId))
  } catch {
    return null
  }
}

export function keepLastType(organizationId: string, type: string): void {
  try {
    localStorage.setItem(keyOf(organizationId), type)
  } catch {
    // The next form starts with the first type.
  }
}
