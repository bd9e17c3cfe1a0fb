import { useState } from 'react'

/** Whether the pointer or the keyboard focus is inside an element. Spread `handlers` on that element. */
export function useInteraction() {
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  return {
    interacting: pointed || focused,
    handlers: {
      onMouseEnter: () => setPointed(true),
      onMouseLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: () => setFocused(false),
    },
  }
}
