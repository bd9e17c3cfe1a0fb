import type { KeyboardEvent } from 'react'

/**
 * The arrow keys within a tree of checkboxes: up and down move, right opens, left closes or goes to the object. Each
 * checkbox also keeps its place in the order of Tab.
 */
export function moveInTree(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event
  if (!(target instanceof HTMLInputElement) || event.altKey || event.ctrlKey || event.metaKey)
    return
  const boxes = [...currentTarget.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
  const at = boxes.indexOf(target)
  const item = target.closest('li')
  const opener = item?.querySelector<HTMLElement>(':scope > .ph-field > [aria-expanded]')
  const isOpen = opener?.getAttribute('aria-expanded') === 'true'
  const object = item?.parentElement?.closest('li')?.querySelector<HTMLElement>('input')
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => boxes[at + 1]?.focus(),
    ArrowUp: () => boxes[at - 1]?.focus(),
    Home: () => boxes[0]?.focus(),
    End: () => boxes.at(-1)?.focus(),
    ArrowRight: () => (isOpen ? boxes[at + 1]?.focus() : opener?.click()),
    ArrowLeft: () => (isOpen ? opener?.click() : object?.focus()),
  }
  const act = keys[key]
  if (!act) return
  event.preventDefault()
  act()
}
