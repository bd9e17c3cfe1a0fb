import type { CommandMenuEventFragment } from '../generated/graphql.ts'
import { formatDateTime } from '../lib/format.ts'
import { consoleUrl } from '../mount.ts'
import type { Session } from '../session/session.tsx'
import { pageOfId } from '../shell/page-of-id.ts'

/** One line of the command menu. */
export interface Command {
  /** Unique. */
  readonly id: string
  readonly group:
    | 'goTo'
    | 'events'
    | 'webhooks'
    | 'eventTypes'
    | 'pages'
    | 'actions'
    | 'organizations'
  readonly label: string
  /** Dimmed, beside the label. */
  readonly hint?: string | undefined
  /** The page, in the console of this organization. */
  readonly to?: string
  /** For what is not a page of this organization. */
  run?(): void
}

/** The commands whose label has every word of the text, ignoring case. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/)
  return commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}

/** The commands for an id, or for a search key and its value: `order.id=87012`. */
export function exactMatch(text: string, { can }: Pick<Session, 'can'>): readonly Command[] {
  const isKeyManager = can('keys:manage')
  const page =
    pageOfId(text) ??
    (isKeyManager && isId('key', text) ? `/api-keys?key=${text}` : null) ??
    (isKeyManager && isId('aud', text) ? `/audit-log?entry=${text}` : null) ??
    (text.startsWith('type_') ? `/event-types/${encodeURIComponent(text.slice(5))}` : null)
  if (page) return [{ id: page, group: 'goTo', label: `Open ${text}`, to: page }]
  if (can('admin') && isId('org', text)) return [openOrganization(text, `Open ${text}`, 'goTo')]
  const [, key, value] = /^\$?\.?([^\s=]+)\s*=\s*(.+)$/.exec(text) ?? []
  if (!key || !value || !can('events:read')) return []
  const to = eventsWith(`$.${key}`, value)
  return [{ id: to, group: 'goTo', label: `Find events with ${key} = ${value}`, to }]
}

export const isId = (prefix: string, text: string) =>
  new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text)

/** The page of the events with a value at a search key. */
const eventsWith = (key: string, value: string) => `/events?${new URLSearchParams({ key, value })}`

export function openEvent(
  { id, type, publishedAt, preview }: CommandMenuEventFragment,
  group: Command['group'],
): Command {
  const label = `${type.name}, ${formatDateTime(publishedAt)}`
  return { id, group, label, hint: preview ?? '', to: `/events/${id}` }
}

/** Another organization is another console, so the page loads again. */
export function openOrganization(id: string, label: string, group: Command['group']): Command {
  return { id, group, label, hint: id, run: () => location.assign(consoleUrl(id)) }
}
