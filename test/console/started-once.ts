import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPosthorn } from '../support/posthorn-process.ts'
import { findChromium } from './browser.ts'
import { readyUrl, STARTED_ONCE } from './support/console-server.ts'

/** Runs before the tests of the console: starts Posthorn once, so that each server of a test begins with a copy of its data. */
export default async function startOnce() {
  if (findChromium() === null) return
  const cwd = await mkdtemp(path.join(tmpdir(), 'posthorn started once '))
  {
    await using posthorn = startPosthorn(['start'], { cwd, environment: { PORT: '0' } })
    await readyUrl(posthorn)
  }
  process.env[STARTED_ONCE] = path.join(cwd, '.posthorn')
  return () => rm(cwd, { recursive: true, force: true })
}
