import { useEffect, useEffectEvent } from 'react'
import { useNavigate } from 'react-router'
import { readStored, store } from '../../lib/storage.ts'
import { useSession } from '../../session/session.tsx'
import { navigationFor } from '../navigation.ts'

/** After `g`, the letter of a page. */
export const PAGE_KEYS: Readonly<Record<string, string>> = {
  o: '/overview',
  w: '/webhooks',
  e: '/events',
  d: '/deliveries',
  a: '/attempts',
  t: '/event-types',
  l: '/alerts',
  k: '/api-keys',
  u: '/audit-log',
  z: '/organizations',
}

/** Whether shortcuts of one key are on. Off for people whose voice control or hands press single keys by accident. */
export const singleKeysAreOn = () => readStored('local', 'posthorn-single-keys') !== 'off'

export const setSingleKeys = (on: boolean) =>
  store('local', 'posthorn-single-keys', on ? 'on' : 'off')

/** How long after `g` the letter of a page counts. */
const SEQUENCE_MS = 1_500

/** The keyboard shortcuts of every page. Single keys do nothing in fields, and while a dialog is open. */
export function useShortcuts({ openMenu, openHelp }: { openMenu(): void; openHelp(): void }): void {
  const navigate = useNavigate()
  const session = useSession()

  const go = useEffectEvent((key: string) => {
    const pages = navigationFor(session).flatMap(({ destinations }) => destinations)
    const page = pages.find(({ to }) => to === PAGE_KEYS[key])
    if (page) navigate(page.to)
  })
  const open = useEffectEvent((what: 'menu' | 'help') => {
    if (what === 'menu') openMenu()
    else openHelp()
  })

  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const actions: Readonly<Record<string, () => void>> = {
      '/': () => open('menu'),
      '?': () => open('help'),
      g: () => {
        wentAt = performance.now()
      },
      j: () => moveThroughRows(1),
      k: () => moveThroughRows(-1),
      x: toggleRow,
    }
    function press(event: KeyboardEvent) {
      if (event.defaultPrevented || isDialogOpen()) return
      const { key, altKey } = event
      if (event.ctrlKey || event.metaKey) {
        if (key.toLowerCase() !== 'k' || altKey || event.shiftKey) return
        event.preventDefault()
        return open('menu')
      }
      if (altKey || !singleKeysAreOn() || isField(event.target)) return
      const isSequence = performance.now() - wentAt < SEQUENCE_MS
      wentAt = Number.NEGATIVE_INFINITY
      if (isSequence) return go(key)
      const act = actions[key]
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function isDialogOpen(): boolean {
  return document.querySelector('[aria-modal="true"]') !== null
}

const FIELDS =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=listbox], [role=menu]'

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null
}

/** Moves the focus to the next or previous row of the lists of the page. Enter then opens the row. */
function moveThroughRows(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('#main .ph-row-link')]
  const current = links.findIndex((link) => link.closest('tr') === focusedRow())
  const next = current === -1 ? (step === 1 ? 0 : links.length - 1) : current + step
  links[next]?.focus()
}

/** Selects the focused row, or takes it out of the selection. Does nothing in a list without a selection. */
function toggleRow(): void {
  focusedRow()?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
}

function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest('tr') ?? null
}
