import { cp } from 'node:fs/promises'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import * as vite from 'vite'
import type { TestProject } from 'vitest/node'
import { findChromium } from '../../console/browser.ts'
import { createHostProject, type HostProject, type ReactVersion } from './packed-package.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folders of the built host application of `test/react/host`, by the version of React. */
    reactHosts: Record<ReactVersion, string>
  }
}

/** Runs before the tests of the React package in a browser: builds a host application from the packed package, with React 18 and 19. */
export default async function buildHost(project: TestProject) {
  if (findChromium() === null) return
  const hosts = [await build(18), await build(19)] as const
  const [with18, with19] = hosts.map(({ folder }) => path.join(folder, 'dist')) as [string, string]
  project.provide('reactHosts', { 18: with18, 19: with19 })
  return async () => {
    for (const host of hosts) await host[Symbol.asyncDispose]()
  }
}

async function build(version: ReactVersion): Promise<HostProject> {
  const host = await createHostProject(version)
  await cp(path.join(import.meta.dirname, '../host'), host.folder, { recursive: true })
  // Vitest's NODE_ENV selects React's development build, in which StrictMode mounts everything twice.
  await vite.build({
    root: host.folder,
    logLevel: 'warn',
    plugins: [react()],
    build: { minify: false },
  })
  return host
}
