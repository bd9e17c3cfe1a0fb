/**
 * Keeps the tabs and the history of one viewer in `sessionStorage`, which ends with the browser tab. The viewer is part
 * of each key, so that the next person who signs in does not see them.
 */
export function tabStorage(viewer: string) {
  const prefix = `posthorn.explore:${viewer}:`
  const keys = () => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  return {
    getItem: (name: string) => sessionStorage.getItem(prefix + name),
    setItem: (name: string, value: string) => sessionStorage.setItem(prefix + name, value),
    removeItem: (name: string) => sessionStorage.removeItem(prefix + name),
    get length() {
      return keys().length
    },
    clear() {
      for (const key of keys()) sessionStorage.removeItem(key)
    },
  }
}
