import { useEffectEvent, useLayoutEffect, useState } from 'react'

/**
 * What the reader types into a box from the moment it opens. Until the field of the box has the focus, the keys are
 * collected here, so none is lost or taken for a shortcut of the page while the script of the box loads.
 */
export function useTypeAhead(opened: boolean, field: string, close: () => void) {
  const [typed, setTyped] = useState('')
  const end = useEffectEvent(close)

  useLayoutEffect(() => {
    if (!opened) return
    setTyped('')
    const hasFocus = () => document.activeElement?.matches(field)
    function press(event: KeyboardEvent) {
      if (hasFocus() || event.key === 'Tab') return
      const { key } = event
      const isCommand = event.ctrlKey || event.metaKey || event.altKey
      // AltGr is Ctrl and Alt on some systems, and types characters such as @.
      if (isCommand && !event.getModifierState('AltGraph')) return
      event.preventDefault()
      event.stopPropagation()
      if (key === 'Escape') end()
      else if (key === 'Backspace') setTyped((text) => text.slice(0, -1))
      else if (key.length === 1) setTyped((text) => text + key)
    }
    function paste(event: ClipboardEvent) {
      if (hasFocus()) return
      event.preventDefault()
      const pasted = event.clipboardData?.getData('text/plain') ?? ''
      setTyped((text) => text + pasted)
    }
    addEventListener('keydown', press, true)
    addEventListener('paste', paste, true)
    return () => {
      removeEventListener('keydown', press, true)
      removeEventListener('paste', paste, true)
    }
  }, [opened, field])

  return [typed, setTyped] as const
}
