import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const execute = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('what npm ci compiles is good for the process that npm start runs', async () => {
  const { scripts } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'))
  const [, ...start] = (scripts.start as string).split(' ')
  const [, ...fill] = (scripts.prepare as string).split(' && ').at(-1)?.split(' ') ?? []
  const filled = await cacheFolder(fill)
  expect(filled).toContain('node_modules/.cache/posthorn/')
  expect(await cacheFolder([...start, '--help'])).toBe(filled)
  // It is not good for a process with other flags.
  expect(await cacheFolder(['--max-lazy', ...start, '--help'])).not.toBe(filled)
})

/** Where a process of Node keeps what it compiles: a folder for each version of Node and set of flags. */
async function cacheFolder(args: readonly string[]): Promise<string | undefined> {
  const { stderr, stdout } = await execute(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return /\[compile cache\] resolved path .*-> (\S+)/.exec(stderr + stdout)?.[1]
}
