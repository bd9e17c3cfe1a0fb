import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Whether an element is narrower than `limitPx`, also after its box changes. */
export function useIsNarrow<Element extends HTMLElement>(
  limitPx: number,
): [RefObject<Element | null>, boolean] {
  const element = useRef<Element>(null)
  const [isNarrow, setIsNarrow] = useState(() => document.documentElement.clientWidth < limitPx)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setIsNarrow(current.clientWidth < limitPx)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [limitPx])
  return [element, isNarrow]
}
