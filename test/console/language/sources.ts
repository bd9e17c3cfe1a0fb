import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ESTree, parseSync } from 'vite'

export const CONSOLE = path.resolve(import.meta.dirname, '../../../src/console')

export interface Source {
  /** Within `src/console`. */
  readonly name: string
  readonly text: string
  readonly program: ESTree.Program
}

/** Pages and parts that a portal session never shows: they are English. */
export const OF_CONSOLE =
  /^(api-keys|audit|consumers|alerts|organizations|overview|portal|event-types\/form)\/|events\/publish-(code|snippets)|form\/listen-hint|session\/sign-in|organization-switcher|archive-event-type|generated\//

export function allSources(): readonly Source[] {
  return globSync('**/*.{ts,tsx}', { cwd: CONSOLE, exclude: ['generated/**'] }).map(sourceOf)
}

function sourceOf(name: string): Source {
  const file = path.join(CONSOLE, name)
  const text = readFileSync(file, 'utf8')
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  return { name, text, program }
}
