import { key } from '../language/t.ts'
import { pageOfId } from '../lib/page-of-id.ts'
import { consoleUrl } from '../mount.ts'
import type { Session } from '../session/session.tsx'
import { sectionsFor } from '../shell/navigation.ts'

/** One line of the command menu. */
export interface Command {
  /** Unique in its group. */
  readonly id: string
  readonly group: string
  readonly label: string
  /** Below the label. */
  readonly hint?: string | undefined
  /** The page, in the console of this organization. */
  readonly to?: string
  /** The URL of another console. */
  readonly href?: string
}

export const GROUPS = {
  goTo: 'Go to',
  events: key('Events'),
  webhooks: 'Webhooks',
  eventTypes: key('Event types'),
  pages: key('Pages'),
  actions: key('Actions'),
  organizations: 'Organizations',
} as const

/** The pages and actions of the viewer whose label has every word of the text, ignoring case. */
export function knownCommands(session: Session, text: string): readonly Command[] {
  const { can, webhookId } = session
  const seesAll = webhookId === null
  const actions: readonly (readonly [label: string, to: string, isAllowed: boolean])[] = [
    ['Create webhook', '/webhooks/new', seesAll && can('webhooks:write')],
    ['Publish event', '/events?publish=event', seesAll && can('events:publish')],
    ['Create API key', '/api-keys?new=key', can('keys:manage')],
  ]
  const words = text.toLowerCase().split(/\s+/)
  return [
    ...sectionsFor(session).map(({ label, to }) => ({ id: to, group: GROUPS.pages, label, to })),
    ...actions
      .filter(([, , isAllowed]) => isAllowed)
      .map(([label, to]) => ({ id: to, group: GROUPS.actions, label, to })),
  ].filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}

/** The commands for an id, or for a search key and its value: `order.id=87012`. */
export function exactCommands({ can }: Session, text: string): readonly Command[] {
  const to = pageOfId(text)
  if (to !== null) return [{ id: to, group: GROUPS.goTo, label: `Open ${text}`, to }]
  if (can('admin') && isId('org', text)) {
    return [{ id: text, group: GROUPS.goTo, label: `Open ${text}`, href: consoleUrl(text) }]
  }
  const [, path, value] = /^\$?\.?([^\s=]+)\s*=\s*(.+)$/.exec(text) ?? []
  if (!path || !value || !can('events:read')) return []
  const events = `/events?${new URLSearchParams({ key: `$.${path}`, value })}`
  const label = `Find events with ${path} = ${value}`
  return [{ id: events, group: GROUPS.goTo, label, to: events }]
}

export const isId = (prefix: string, text: string) =>
  new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text)
