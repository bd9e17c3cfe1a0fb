import { recentItems } from '../lib/storage.ts'
import { mount } from '../mount.ts'
import { pageOfId } from '../shell/page-of-id.ts'

/** One line of the command menu. */
export interface Command {
  /** Unique, and the same on the next visit. */
  readonly id: string
  readonly group: 'recent' | 'goTo' | 'webhooks' | 'pages' | 'actions' | 'organizations'
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

/** The pages that this tab last opened with the command menu. */
const recent = recentItems<Pick<Command, 'id' | 'label' | 'hint' | 'to'>>(
  `posthorn-recent ${mount.basename}`,
)

export const recentCommands = (): readonly Command[] =>
  recent.read().map((page) => ({ ...page, group: 'recent' }))

export function rememberCommand({ id, label, hint, to }: Command): void {
  if (to !== undefined) recent.remember({ id, label, hint, to })
}
