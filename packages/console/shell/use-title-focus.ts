import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { moveFocusToTitle } from '../components/page/title-focus.ts'

/** Moves the focus to the title of each page but the first, which leaves the focus to the browser. */
export function useTitleFocus(): void {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current !== pathname) moveFocusToTitle()
    shown.current = pathname
  }, [pathname])
}
