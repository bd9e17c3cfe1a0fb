import { useSyncExternalStore } from 'react'
import { dateLocale } from '../language/language.ts'
import { readStored, store } from './storage.ts'

/** The zone that times are shown and entered in: the reader's own, or UTC. */
type TimeZone = 'local' | 'utc'

const STORED_AS = 'posthorn.time-zone'
const listeners = new Set<() => void>()
let current: TimeZone = readStored('local', STORED_AS) === 'utc' ? 'utc' : 'local'

export const timeZone = (): TimeZone => current

/** Shows all times in another zone, and remembers it in this browser. */
export function setTimeZone(zone: TimeZone): void {
  current = zone
  store('local', STORED_AS, zone)
  for (const listener of listeners) listener()
}

/** The zone, for a component that shows times. */
export const useTimeZone = (): TimeZone => useSyncExternalStore(listen, timeZone)

/** A format of times in the zone of the moment. */
export function zonedFormat(options: Intl.DateTimeFormatOptions): (at: string | Date) => string {
  const formats = {
    local: new Intl.DateTimeFormat(dateLocale, options),
    utc: new Intl.DateTimeFormat(dateLocale, { ...options, timeZone: 'UTC' }),
  }
  return (at) => formats[current].format(new Date(at))
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
