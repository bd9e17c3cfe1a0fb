import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.join(import.meta.dirname, '../..')

/** For tests of what the console serves: builds the console, unless it is built from its present sources. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build:console'], { cwd: ROOT })
}
