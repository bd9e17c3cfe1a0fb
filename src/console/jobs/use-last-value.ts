import { useState } from 'react'

/** The last value that was defined: a list stays visible while the server is unreachable. */
export function useLastValue<Value>(value: Value | null | undefined): Value | undefined {
  const [last, setLast] = useState<Value>()
  if (value === null || value === undefined) return last
  if (value !== last) setLast(() => value)
  return value
}
