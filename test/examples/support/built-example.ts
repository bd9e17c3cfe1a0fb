import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { installPackages } from '../../../scripts/install/install-packages.ts'
import { chromiumFor } from '../../console/browser.ts'
import { isBuiltFrom } from '../../support/files.ts'
import { reasonToLeaveOut } from '../../support/left-out.ts'

const root = path.join(import.meta.dirname, '../../..')
const FOLDER = path.join(root, 'examples/react')

/** Runs before the tests of the example: finds a browser, installs its packages, and builds it if its sources are newer. */
export default async function prepareExample(project: TestProject): Promise<void> {
  const chromium = chromiumFor('The tests of the examples')
  const missing = chromium && reasonToLeaveOut(await installPackages(FOLDER))
  if (missing) console.warn(`\nThe tests of the examples are left out: ${missing}\n`)
  project.provide('chromium', missing ? null : chromium)
  if (chromium === null || missing || (await isBuilt())) return
  // Vitest's NODE_ENV would select a development build.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('npm', ['run', 'build'], { cwd: FOLDER, env })
}

function isBuilt(): Promise<boolean> {
  const sources = ['schema.graphql', 'examples/react/**/*.*']
  return isBuiltFrom(root, 'examples/react/dist/index.html', sources, (name) =>
    /node_modules|generated|dist/.test(name),
  )
}
