const KEY = 'posthorn-single-keys'

/** Whether shortcuts of one key are on. Off for people whose voice control or hands press single keys by accident. */
export function singleKeysAreOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off')
  } catch {
    // The browser denies storage.
  }
}
