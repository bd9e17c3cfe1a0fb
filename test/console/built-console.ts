import { execFile } from 'node:child_process'
import { glob, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { chromiumFor } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the browser, or null if there is none. */
    chromium: string | null
  }
}

const root = path.join(import.meta.dirname, '../..')

/** Runs before the console tests: finds a browser, and rebuilds the console if its sources are newer. */
export default async function prepareConsole(project: TestProject): Promise<void> {
  const chromium = chromiumFor('The tests of the console in a browser')
  project.provide('chromium', chromium)
  if (chromium === null) return
  if (!(await isBuilt())) {
    // Vitest's NODE_ENV would select a development build, which is twice as large.
    const env = { ...process.env, NODE_ENV: 'production' }
    await promisify(execFile)('npm', ['run', 'build:console'], { cwd: root, env })
  }
}

export async function isBuilt(): Promise<boolean> {
  // A build writes its compressed copies last.
  const builtAt = await changedAt('dist/console/posthorn.svg.gz')
  const sources = ['vite.config.ts', 'codegen.ts', 'schema.graphql', 'package-lock.json']
  const files = glob(
    ['src/console/**/*.*', 'src/portal-element/*', 'docs/examples/graphql/*.graphql'],
    {
      cwd: root,
      exclude: (name) => name.includes('generated'),
    },
  )
  for await (const file of files) sources.push(file)
  const times = await Promise.all(sources.map(changedAt))
  return builtAt > 0 && times.every((time) => time <= builtAt)
}

/** Zero for a missing file. */
async function changedAt(file: string): Promise<number> {
  const found = await stat(path.join(root, file)).catch(() => null)
  return found?.mtimeMs ?? 0
}
