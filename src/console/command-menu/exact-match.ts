import { pageOfId } from '../shell/page-of-id.ts'
import type { Command } from './command.ts'

/** The commands for an id, or for a search key and its value: `order.id=87012`. */
export function exactMatch(text: string, readsEvents: boolean): readonly Command[] {
  const page = pageOfId(text)
  if (page !== null) {
    return [{ id: page, group: 'goTo', label: `Open ${text}`, to: page }]
  }
  const [, key, value] = /^\$?\.?([^\s=]+)\s*=\s*(.+)$/.exec(text) ?? []
  if (!key || !value || !readsEvents) return []
  const to = `/events?${new URLSearchParams({ key: `$.${key}`, value })}`
  return [{ id: to, group: 'goTo', label: `Find events with ${key} = ${value}`, to }]
}
