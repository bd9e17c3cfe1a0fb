import { useState } from 'react'

/** Whether the pointer or the keyboard is within something. The handlers go on the element around it. */
export function useAtWork() {
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  return {
    atWork: pointed || focused,
    handlers: {
      onMouseEnter: () => setPointed(true),
      onMouseLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: () => setFocused(false),
    },
  }
}
