import { cp } from 'node:fs/promises'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import * as vite from 'vite'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../../console/browser.ts'
import {
  createHostProject,
  type HostProject,
  type ReactVersion,
  withReact18,
} from './packed-package.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folders of the built host application of `test/react/host`, by the version of React. */
    reactHosts: Record<ReactVersion, string>
  }
}

/** Runs before the tests of the React package in a browser: builds a host application from the packed package, with React 18 and 19. */
export default async function buildHost(project: TestProject) {
  if (findChromium() === null) return
  const with19 = await createHostProject()
  const with18 = await withReact18(with19)
  project.provide('reactHosts', { 18: await build(with18), 19: await build(with19) })
  return async () => {
    for (const host of [with18, with19]) await host[Symbol.asyncDispose]()
  }
}

/** The folder of the built application. */
async function build({ folder }: HostProject): Promise<string> {
  await cp(path.join(import.meta.dirname, '../host'), folder, { recursive: true })
  // Vitest's NODE_ENV selects React's development build, in which StrictMode mounts everything twice.
  await vite.build({
    root: folder,
    logLevel: 'warn',
    plugins: [react()],
    build: { minify: false },
  })
  return path.join(folder, 'dist')
}
