let isPending = false

/**
 * Moves the focus to the title of a new page, so that a screen reader announces the page. The title
 * may still load. A page whose first field has the focus keeps it.
 */
export function moveFocusToTitle(): void {
  isPending = true
  takeTitleFocus(document.querySelector('#main h1'))
}

/** Called with each title that appears. */
export function takeTitleFocus(title: HTMLElement | null): void {
  if (!isPending || !title) return
  isPending = false
  if (title.closest('main')?.contains(document.activeElement)) return
  title.focus({ preventScroll: true })
}

/** Called before a title goes: the title of the loaded page takes the focus of the title above its skeleton. */
export function leaveTitleFocus(title: HTMLElement | null): void {
  if (title && document.activeElement === title) isPending = true
}
