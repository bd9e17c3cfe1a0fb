import { appendFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUILDS_MS, type Clone, createClone } from './clone.ts'

let clone: Clone

beforeAll(async () => {
  clone = await createClone()
}, BUILDS_MS)
afterAll(() => clone?.[Symbol.asyncDispose]())

const build = () => clone.run('npm', 'run', '--silent', 'build:console')
const builtAt = async () => (await stat(path.join(clone.folder, 'dist/console/index.html'))).mtimeMs

test(
  'the console is built once for each version of its sources, which it says',
  async () => {
    const first = await build()
    expect(first.output).toMatch(/^Building the console, once for .* done in [\d.]+ s\.$/m)
    const at = await builtAt()
    expect(await build()).toEqual({ code: 0, output: '' })
    expect(await builtAt()).toBe(at)
    // As for a user who may not write: nothing waits for the turn of a process that goes on.
    const turn = path.join(clone.folder, 'node_modules/.cache/installing-dist-console')
    await writeFile(turn, `${process.pid}`)
    expect(await build()).toEqual({ code: 0, output: '' })
    await rm(turn)

    await appendFile(
      path.join(clone.folder, 'packages/console/app.tsx'),
      '\nexport const more = 1\n',
    )
    expect((await build()).output).toContain('Building the console')
    expect(await builtAt()).toBeGreaterThan(at)
  },
  BUILDS_MS,
)

test(
  'sources that do not compile end the build with the reason, and the next start tries again',
  async () => {
    await appendFile(path.join(clone.folder, 'packages/console/app.tsx'), '\nexport const = 2\n')
    for (const _ of ['first', 'next']) {
      const { code, output } = await build()
      expect(code).not.toBe(0)
      expect(output).toContain('The console cannot be built: ')
      expect(output).toContain('app.tsx')
      expect(output).toContain('npx posthorn start')
    }
  },
  BUILDS_MS,
)
