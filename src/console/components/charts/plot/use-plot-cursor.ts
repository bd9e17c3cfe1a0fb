import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'

interface PlotCursorOptions {
  readonly count: number
  /** How many parts a bar has, for the keys up and down. */
  readonly parts: number
  /** Null for the whole bar. */
  open?: ((index: number, part: number | null) => void) | undefined
  zoom?: ((first: number, last: number) => void) | undefined
}

interface PlotCursor {
  /** The bar under the pointer or at the keyboard. */
  readonly index: number | null
  readonly part: number | null
  /** The first and last bar of the range that is being selected. */
  readonly selection: readonly [number, number] | null
}

const NOWHERE: PlotCursor = { index: null, part: null, selection: null }

/** A press that moves less than this is a click. */
const DRAG_PX = 6

/** Points at bars and selects ranges, with the pointer or the keyboard. */
export function usePlotCursor({ count, parts, open, zoom }: PlotCursorOptions) {
  const [cursor, setCursor] = useState(NOWHERE)
  const pressed = useRef<{ x: number; index: number } | null>(null)

  const indexAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return clamp(Math.floor((count * (clientX - left)) / width), count)
  }

  function onPointerMove(event: PointerEvent) {
    const index = indexAt(event)
    const start = pressed.current
    const drags = zoom && start && Math.abs(event.clientX - start.x) >= DRAG_PX
    setCursor({ index, part: partAt(event), selection: drags ? ordered(start.index, index) : null })
  }

  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return
    pressed.current = { x: event.clientX, index: indexAt(event) }
    if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
  }

  function onPointerUp(event: PointerEvent) {
    const start = pressed.current
    pressed.current = null
    if (!start) return
    if (cursor.selection) {
      zoom?.(...cursor.selection)
      setCursor(NOWHERE)
    } else open?.(start.index, cursor.part ?? partAt(event))
  }

  function onKeyDown(event: KeyboardEvent) {
    const to = TARGETS[event.key]?.(cursor.index, count)
    if (to !== undefined) {
      const index = clamp(to, count)
      const from = fixedEnd(cursor)
      setCursor({
        index,
        part: null,
        selection: event.shiftKey && zoom ? ordered(from ?? index, index) : null,
      })
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const part =
        (cursor.part ?? (event.key === 'ArrowUp' ? -1 : parts)) + (event.key === 'ArrowUp' ? 1 : -1)
      setCursor({
        ...cursor,
        index: cursor.index ?? count - 1,
        part: part < 0 || part >= parts ? null : part,
      })
    } else if (event.key === 'Enter' && cursor.selection) {
      zoom?.(...cursor.selection)
      setCursor(NOWHERE)
    } else if (event.key === 'Enter' && cursor.index !== null) {
      open?.(cursor.index, cursor.part)
    } else if (event.key === 'Escape' && cursor.index !== null) {
      setCursor(NOWHERE)
    } else return
    event.preventDefault()
  }

  function leave() {
    pressed.current = null
    setCursor(NOWHERE)
  }

  const handlers = {
    onPointerMove,
    onPointerDown,
    onPointerUp,
    onPointerLeave: leave,
    onPointerCancel: leave,
    onKeyDown,
    onBlur: leave,
  }
  return { cursor: cursor.index !== null && cursor.index >= count ? NOWHERE : cursor, handlers }
}

const TARGETS: Readonly<Record<string, (index: number | null, count: number) => number>> = {
  ArrowLeft: (index, count) => (index ?? count) - 1,
  ArrowRight: (index) => (index ?? -1) + 1,
  Home: () => 0,
  End: (_index, count) => count - 1,
}

const clamp = (index: number, count: number) => Math.min(Math.max(index, 0), count - 1)
const ordered = (a: number, b: number): [number, number] => [Math.min(a, b), Math.max(a, b)]

/** The end of the selection that the keyboard does not move. */
function fixedEnd({ index, selection }: PlotCursor): number | null {
  if (!selection) return index
  return selection[0] === index ? selection[1] : selection[0]
}

function partAt({ clientX, clientY }: PointerEvent): number | null {
  const part = document.elementFromPoint(clientX, clientY)?.getAttribute('data-part')
  return part ? Number(part) : null
}
