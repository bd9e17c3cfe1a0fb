import { useLayoutEffect } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { readStored, store } from '../lib/storage.ts'

const STORED_AS = 'posthorn.scroll'
/** In this time, a page gets its data, and so its height. */
const SETTLES_MS = 3_000
const BY_READER = ['wheel', 'touchmove', 'pointerdown', 'keydown']

/** How far the reader has scrolled, by the key of the entry of the history. */
const tops = new Map<string, number>(JSON.parse(readStored('session', STORED_AS) ?? '[]'))

/** Begins a new page at its top, and returns to the reader's place after Back, Forward and a reload. */
export function useScroll(): void {
  const { pathname, key } = useLocation()
  const isReturn = useNavigationType() === 'POP'

  useLayoutEffect(() => {
    history.scrollRestoration = 'manual'
    const save = () => store('session', STORED_AS, JSON.stringify([...tops]))
    addEventListener('pagehide', save)
    return () => removeEventListener('pagehide', save)
  }, [])

  useLayoutEffect(() => {
    const note = () => tops.set(key, scrollY)
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of page
  useLayoutEffect(() => {
    if (isReturn) return hold(tops.get(key) ?? 0)
    scrollTo(0, 0)
  }, [pathname])
}

/** Keeps the page at a place while its data arrive, until the reader moves. */
function hold(top: number): () => void {
  if (top === 0) return () => {}
  const endAt = performance.now() + SETTLES_MS
  let frame = requestAnimationFrame(function scroll() {
    if (scrollY !== top) scrollTo(0, top)
    if (performance.now() < endAt) frame = requestAnimationFrame(scroll)
  })
  const end = () => cancelAnimationFrame(frame)
  for (const type of BY_READER) addEventListener(type, end, { once: true, passive: true })
  return end
}
