import { type RefObject, useEffect, useRef } from 'react'

/** Whether the component is on the page. A ref, for functions that continue after a request. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false)
  useEffect(() => {
    // StrictMode mounts twice.
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
