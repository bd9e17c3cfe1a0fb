/**
 * Keeps the tabs and the history of one viewer in `sessionStorage`, which ends with the browser tab. The viewer is part
 * of each key, so that the next person who signs in does not see them.
 */
export function tabStorage(viewer: string) {
  const prefix = `posthorn.explore:${viewer}:`
  // Signing out clears the storage. GraphiQL saves a change a moment later, which may be after that.
  const marker = `posthorn.explore.signed-in:${viewer}`
  sessionStorage.setItem(marker, 'true')
  const keys = () => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  return {
    getItem: (name: string) => sessionStorage.getItem(prefix + name),
    setItem(name: string, value: string) {
      if (sessionStorage.getItem(marker) !== null) sessionStorage.setItem(prefix + name, value)
    },
    removeItem: (name: string) => sessionStorage.removeItem(prefix + name),
    get length() {
      return keys().length
    },
    clear() {
      for (const key of keys()) sessionStorage.removeItem(key)
    },
  }
}
