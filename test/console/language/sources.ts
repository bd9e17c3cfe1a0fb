import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ESTree, parseSync } from 'vite'

export const CONSOLE = path.resolve(import.meta.dirname, '../../../src/console')

export interface Source {
  /** Within `src/console`. */
  readonly name: string
  readonly text: string
  readonly program: ESTree.Program
  /** The sources that it imports, without types. */
  readonly imports: readonly string[]
}

/** Pages and parts that a portal session never shows: they are English. */
export const OF_CONSOLE =
  /^(api-keys|audit|consumers|alerts|organizations|overview|portal|event-types\/form)\/|events\/publish-(code|snippets)|form\/listen-hint|session\/sign-in|organization-switcher|archive-event-type|generated\//

export function allSources(): readonly Source[] {
  return globSync('**/*.{ts,tsx}', { cwd: CONSOLE, exclude: ['generated/**'] }).map(sourceOf)
}

/** What the first script of the page has. */
export function firstSources(): readonly Source[] {
  const seen = new Map<string, Source>()
  const ahead = ['main.tsx']
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (seen.has(name)) continue
    const source = sourceOf(name)
    seen.set(name, source)
    ahead.push(...source.imports)
  }
  return [...seen.values()]
}

function sourceOf(name: string): Source {
  const file = path.join(CONSOLE, name)
  const text = readFileSync(file, 'utf8')
  const { program, module, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const resolved = (specifier: string) => {
    const found = path.join(path.dirname(file), specifier)
    const isSource = /^\..*\.tsx?$/.test(specifier) && existsSync(found)
    return isSource && !found.includes('generated') ? [path.relative(CONSOLE, found)] : []
  }
  return {
    name,
    text,
    program,
    imports: module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .flatMap(({ moduleRequest }) => resolved(moduleRequest.value)),
  }
}
