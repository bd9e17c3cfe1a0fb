import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { processExists } from '../../src/lib/process-exists.ts'

const ROOT = path.join(import.meta.dirname, '../..')

/** Returns why the packages of a folder are not installed, or null. */
export async function installPackages(folder: string): Promise<string | null> {
  const locked = await readFile(path.join(folder, 'package-lock.json'))
  const digest = createHash('sha256').update(locked).digest('hex')
  // `npm ci` deletes it first of all.
  const mark = path.join(folder, 'node_modules/.installed')
  const isInstalled = async () => (await readFile(mark, 'utf8').catch(() => '')) === digest
  if (await isInstalled()) return null
  await using _alone = await waitForTurn(folder)
  if (await isInstalled()) return null
  const failure = await runNpmCi(folder)
  if (failure === null) await writeFile(mark, digest)
  return failure && `the packages of ${path.relative(ROOT, folder)} are missing (${failure})`
}

/** What npm's errors without an answer of the registry are called. */
const NO_ANSWER =
  /^(EAI_AGAIN|ECONN\w+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E5\d\d)$/

/** Returns why the registry did not answer, or null. */
async function runNpmCi(folder: string): Promise<string | null> {
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  const options = ['--include=dev', '--no-audit', '--no-fund', '--json', ...retries]
  try {
    await promisify(execFile)('npm', ['ci', ...options], { cwd: folder })
    return null
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    const code = /"code": "(\w+)"/.exec(stdout)?.[1] ?? ''
    if (!NO_ANSWER.test(code)) throw new Error(`npm ci in ${folder} failed:\n${stdout}${stderr}`)
    return `npm ci in this folder: ${code}`
  }
}

/** Waits until no other process works in the folder. */
export async function waitForTurn(folder: string): Promise<AsyncDisposable> {
  const name = path.relative(ROOT, folder).replaceAll(/\W+/g, '-')
  const lock = path.join(ROOT, 'node_modules/.cache', `installing-${name}`)
  await mkdir(path.dirname(lock), { recursive: true })
  for (;;) {
    try {
      await writeFile(lock, `${process.pid}`, { flag: 'wx' })
      return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = Number(await readFile(lock, 'utf8').catch(() => Number.NaN))
    if (owner > 0 && !processExists(owner)) await rm(lock, { force: true })
    await setTimeout(100)
  }
}

// `npm run install:all` runs this file.
if (import.meta.main) {
  for await (const file of glob('{examples,scripts,test}/**/package-lock.json', {
    cwd: ROOT,
    exclude: (name) => name.includes('node_modules'),
  })) {
    const missing = await installPackages(path.dirname(path.join(ROOT, file)))
    if (missing === null) continue
    console.error(missing)
    process.exitCode = 1
  }
}
