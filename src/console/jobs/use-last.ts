import { useState } from 'react'

/** What was read last. While the server is away, nothing can be read, and a list that was there need not go. */
export function useLast<Value>(value: Value | null | undefined): Value | undefined {
  const [last, setLast] = useState<Value>()
  if (value === null || value === undefined) return last
  if (value !== last) setLast(() => value)
  return value
}
