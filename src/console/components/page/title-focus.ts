let isPending = false

/** The next page that shows its title moves the focus there, so that a screen reader announces the page. */
export function moveFocusToNextTitle(): void {
  isPending = true
}

export function takeTitleFocus(title: HTMLElement | null): void {
  if (!isPending || !title) return
  isPending = false
  title.focus({ preventScroll: true })
}
