import { cp } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../../console/browser.ts'
import { createHostProject } from './packed-package.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built host application of `test/react/host`. */
    reactHost: string
  }
}

/** Runs before the tests of the React package in a browser: builds a host application from the packed package. */
export default async function buildHost(project: TestProject) {
  if (findChromium() === null) return
  const host = await createHostProject()
  await cp(path.join(import.meta.dirname, '../host'), host.folder, { recursive: true })
  // Vitest's NODE_ENV selects React's development build, in which StrictMode mounts everything twice.
  await build({ root: host.folder, logLevel: 'warn', build: { minify: false } })
  project.provide('reactHost', path.join(host.folder, 'dist'))
  return () => host[Symbol.asyncDispose]()
}
