let isPending = false

/**
 * The next page that shows its title moves the focus there, so that a screen reader announces the page. A page whose
 * first field has the focus keeps it.
 */
export function moveFocusToNextTitle(): void {
  isPending = true
}

export function takeTitleFocus(title: HTMLElement | null): void {
  if (!isPending || !title) return
  isPending = false
  if (title.closest('main')?.contains(document.activeElement)) return
  title.focus({ preventScroll: true })
}
