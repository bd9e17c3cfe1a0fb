import type { TestProject } from 'vitest/node'
import { buildConsole } from '../support/built-console.ts'
import { chromiumFor } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the browser, or null if there is none. */
    chromium: string | null
  }
}

/** Runs before the console tests: finds a browser, and builds the console. */
export default async function prepareConsole(project: TestProject): Promise<void> {
  project.provide('chromium', chromiumFor('The tests of the console in a browser'))
  await buildConsole()
}
