import { execFile } from 'node:child_process'
import { glob, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { installPackages } from '../../../install/install-packages.ts'
import { chromiumFor } from '../../console/browser.ts'
import { reasonToLeaveOut } from '../../support/left-out.ts'

const root = path.join(import.meta.dirname, '../../..')

const CLIENTS = ['fetch', 'urql', 'apollo', 'relay'] as const

export type Client = (typeof CLIENTS)[number]

/** Runs before the tests of the examples: finds a browser, installs their packages, and builds each example whose sources are newer. */
export default async function prepareExamples(project: TestProject): Promise<void> {
  const chromium = chromiumFor('The tests of the examples')
  const missing = chromium && reasonToLeaveOut(await installPackages(path.join(root, 'examples')))
  if (missing) console.warn(`\nThe tests of the examples are left out: ${missing}\n`)
  project.provide('chromium', missing ? null : chromium)
  if (chromium === null || missing) return
  // Vitest's NODE_ENV would select a development build.
  const env = { ...process.env, NODE_ENV: 'production' }
  for (const client of CLIENTS) {
    const folder = `examples/${client}`
    if (await isBuilt(folder)) continue
    await promisify(execFile)('npm', ['run', 'build'], { cwd: path.join(root, folder), env })
  }
}

async function isBuilt(folder: string): Promise<boolean> {
  const builtAt = await changedAt(`${folder}/dist/index.html`)
  const sources = ['schema.graphql', 'examples/package-lock.json']
  const files = glob([`${folder}/**/*.*`, 'examples/shared/**/*.*'], {
    cwd: root,
    exclude: (name) => /node_modules|generated|dist/.test(name),
  })
  for await (const file of files) sources.push(file)
  const times = await Promise.all(sources.map(changedAt))
  return builtAt > 0 && times.every((time) => time <= builtAt)
}

/** Zero for a missing file. */
async function changedAt(file: string): Promise<number> {
  const found = await stat(path.join(root, file)).catch(() => null)
  return found?.mtimeMs ?? 0
}
