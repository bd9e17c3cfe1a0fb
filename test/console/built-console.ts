import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { isBuiltFrom } from '../support/files.ts'
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

function isBuilt(): Promise<boolean> {
  const sources = [
    ...['vite.config.ts', 'codegen.ts', 'schema.graphql', 'package-lock.json'],
    ...['packages/console/**/*.*', 'packages/portal-element/*', 'docs/examples/graphql/*.graphql'],
  ]
  // A build writes its compressed copies last.
  const built = 'dist/console/posthorn.svg.gz'
  return isBuiltFrom(root, built, sources, (name) => name.includes('generated'))
}
