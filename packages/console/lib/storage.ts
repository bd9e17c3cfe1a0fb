/** The storage of this browser (`local`), or of this tab (`session`). A browser may deny both: then they keep nothing. */
type Area = 'local' | 'session'

const storageOf = (area: Area) => (area === 'local' ? localStorage : sessionStorage)

export function readStored(area: Area, key: string): string | null {
  try {
    return storageOf(area).getItem(key)
  } catch {
    return null
  }
}

export function store(area: Area, key: string, value: string): void {
  try {
    storageOf(area).setItem(key, value)
  } catch {}
}
