import { mount } from '../mount.ts'
import type { Command } from './command.ts'

const KEY = `posthorn-recent ${mount.basename}`
const MAX_RECENT = 5

type RecentPage = Pick<Command, 'id' | 'label' | 'hint'> & { readonly to: string }

/** The pages that this tab last opened with the command menu, newest first. */
export function recentCommands(): readonly Command[] {
  return read().map((page) => ({ ...page, group: 'recent' }))
}

export function rememberCommand({ id, label, hint, to }: Command): void {
  if (to === undefined) return
  const pages = [{ id, label, hint, to }, ...read().filter((page) => page.id !== id)]
  try {
    sessionStorage.setItem(KEY, JSON.stringify(pages.slice(0, MAX_RECENT)))
  } catch {
    // The browser denies storage.
  }
}

function read(): readonly RecentPage[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
  } catch {
    return []
  }
}
