import { mount } from '../mount.ts'
import { recentItems } from '../storage.ts'
import type { Command } from './command.ts'

/** The pages that this tab last opened with the command menu. */
const recent = recentItems<Pick<Command, 'id' | 'label' | 'hint' | 'to'>>(
  `posthorn-recent ${mount.basename}`,
)

export const recentCommands = (): readonly Command[] =>
  recent.read().map((page) => ({ ...page, group: 'recent' }))

export function rememberCommand({ id, label, hint, to }: Command): void {
  if (to !== undefined) recent.remember({ id, label, hint, to })
}
