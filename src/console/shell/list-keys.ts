/** Moves the focus to the next or previous row of the lists of the page. Enter then opens the row. */
export function moveThroughRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#main .ph-row-link')]
  const current = links.findIndex((link) => link.closest('tr') === focusedRow())
  const next = current === -1 ? (step === 1 ? 0 : links.length - 1) : current + step
  links[next]?.focus()
}

/** Selects the focused row, or takes it out of the selection. Does nothing in a list without a selection. */
export function toggleRow(): void {
  focusedRow()?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
}

function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest('tr') ?? null
}
