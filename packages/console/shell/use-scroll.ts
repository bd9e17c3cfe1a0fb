import { useEffect } from 'react'
import { useLocation, useNavigationType } from 'react-router'
import { readStored, store } from '../lib/storage.ts'

const KEY = 'posthorn-scroll'
/** How long a list may take to load and get as high as before. */
const WAIT_MS = 3_000

/** Scrolls to the top on a new page, and to the former place after a reload. Back and Forward are the browser's. */
export function useScroll(): void {
  const { pathname, key } = useLocation()
  const navigationType = useNavigationType()

  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of page
  useEffect(() => {
    if (navigationType !== 'POP') scrollTo(0, 0)
  }, [pathname])

  useEffect(() => {
    const save = () => store('session', KEY, JSON.stringify({ key, top: scrollY } satisfies Place))
    addEventListener('pagehide', save)
    return () => removeEventListener('pagehide', save)
  }, [key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, at the start
  useEffect(() => restore(key), [])
}

function restore(key: string): () => void {
  const saved: Place | null = JSON.parse(readStored('session', KEY) ?? 'null')
  if (saved?.key !== key || saved.top === 0) return () => {}
  const endAt = performance.now() + WAIT_MS
  let frame = requestAnimationFrame(function scroll() {
    const reachable = document.documentElement.scrollHeight - innerHeight
    if (reachable >= saved.top) scrollTo(0, saved.top)
    else if (performance.now() < endAt) frame = requestAnimationFrame(scroll)
  })
  const stop = () => cancelAnimationFrame(frame)
  addEventListener('wheel', stop, { once: true, passive: true })
  return stop
}

interface Place {
  /** The entry of the history. */
  readonly key: string
  readonly top: number
}
