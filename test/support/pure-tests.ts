import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A module that imports one of these can connect to Postgres, start a process or drive a browser. */
const STARTERS = new Set(['node:child_process', 'node:worker_threads', 'pg', 'playwright-core'])

const GENERATED = /\/(generated|__generated__)\//

/** Of modules, not of types. */
const IMPORT = /^(?:import|export)(?! type)(?:[^';]*? from)? '([^']+)'|\bimport\(\s*'([^']+)'/gm

/** The test files that start nothing, and are not slow: no module that they import could, directly or through others. */
export function pureTests(root: string): string[] {
  const imports = new Map<string, readonly string[]>()

  function startsSomething(file: string, seen: Set<string>): boolean {
    if (seen.has(file)) return false
    seen.add(file)
    // A program writes generated modules before the tests.
    if (GENERATED.test(file) || !existsSync(path.join(root, file))) return true
    const found = imports.get(file) ?? importsOf(root, file)
    imports.set(file, found)
    return found.some((name) =>
      /^\..*\.[jt]sx?$/.test(name)
        ? startsSomething(path.join(path.dirname(file), name), seen)
        : STARTERS.has(name),
    )
  }

  return globSync('test/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/*.slow.test.ts'],
  })
    .filter((file) => !startsSomething(file, new Set()))
    .map((file) => file.replaceAll('\\', '/'))
}

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, fixed, dynamic]) => `${fixed ?? dynamic}`)
}
