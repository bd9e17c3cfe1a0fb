import { useEffect, useRef } from 'react'

/** The ref of the first field of a page that is a form to fill in. In a dialog, `data-autofocus` does the same. */
export function useInitialFocus(enabled: boolean) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (enabled) field.current?.focus({ preventScroll: true })
  }, [enabled])
  return field
}
