import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirePackages } from '../../support/installed-packages.ts'
import { leftOutFor } from '../../support/left-out.ts'
import { createReceiverProject, type ReceiverProject } from '../support/packed-receiver.ts'

const HERE = import.meta.dirname
const MODULES = path.join(HERE, 'node_modules')

const EXPECTED = JSON.stringify([
  true,
  'no-matching-signature',
  'Zoë',
  'no-matching-signature',
  413,
  'processed',
  'duplicate',
])

interface Runtime {
  readonly name: string
  /** The program, and its arguments before that of the file. */
  readonly command: readonly [program: string, ...args: string[]]
  /** What it prints with `--version`. */
  readonly version: RegExp
}

const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 20', command: [path.join(MODULES, 'node-20/bin/node')], version: /^v20\./ },
  { name: 'Node 22', command: [path.join(MODULES, 'node-22/bin/node')], version: /^v22\./ },
  { name: 'Node 24', command: [process.execPath], version: /^v24\./ },
  { name: 'Deno', command: [path.join(MODULES, '.bin/deno'), 'run', '-A'], version: /^deno 2/ },
  { name: 'Bun', command: [path.join(MODULES, '.bin/bun'), 'run'], version: /^1\./ },
]

const installed = await requirePackages('test/receiver/runtimes')

describe('the packed package, in an empty folder', installed, () => {
  let project: ReceiverProject

  beforeAll(async () => {
    project = await createReceiverProject()
    await cp(path.join(HERE, 'check.js'), path.join(project.folder, 'check.mjs'))
    await write('package.json', '{}')
    await write(
      'imported.mjs',
      `import * as receiver from '@posthorn/receiver'
       import { check } from './check.mjs'
       console.log(await check(receiver))`,
    )
    await write(
      'required.cjs',
      `const receiver = require('@posthorn/receiver')
       import('./check.mjs').then(async ({ check }) => console.log(await check(receiver)))`,
    )
  })
  afterAll(async () => await project?.[Symbol.asyncDispose]())

  const write = (name: string, code: string) => writeFile(path.join(project.folder, name), code)

  async function run([program, ...args]: readonly [string, ...string[]]): Promise<string> {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: project.folder,
      env: { ...process.env, NO_COLOR: '1' },
    })
    return stdout.trim()
  }

  describe.each(RUNTIMES)('$name', ({ command, version }) => {
    const [program] = command
    const options = leftOutFor(existsSync(program) ? null : `${program} is not installed`)

    test('is the version that it should be', options, async () => {
      expect(await run([program, '--version'])).toMatch(version)
    })

    test.each(['imported.mjs', 'required.cjs'])('%s', options, async (file) => {
      expect(await run([...command, file])).toBe(EXPECTED)
    })
  })

  test('a Worker of Cloudflare', async () => {
    const { Miniflare } = createRequire(path.join(HERE, 'x.js'))('miniflare')
    const dist = project.packed.filter((file) => /^dist\/[\w-]+\.js$/.test(file))
    const packageFiles = await Promise.all(
      dist.map(async (file) => ({
        type: 'ESModule',
        path: `receiver/${path.basename(file)}`,
        contents: await readFile(path.join(project.installed, file), 'utf8'),
      })),
    )
    const worker = `import * as receiver from './receiver/index.js'
      import { check } from './check.js'
      export default { fetch: async () => new Response(await check(receiver)) }`
    const miniflare = new Miniflare({
      host: '127.0.0.1',
      compatibilityDate: '2026-01-01',
      modules: [
        { type: 'ESModule', path: 'worker.js', contents: worker },
        {
          type: 'ESModule',
          path: 'check.js',
          contents: await readFile(path.join(HERE, 'check.js'), 'utf8'),
        },
        ...packageFiles,
      ],
    })
    try {
      const response = await miniflare.dispatchFetch('http://localhost/')
      expect(await response.text()).toBe(EXPECTED)
    } finally {
      await miniflare.dispose()
    }
  })
})
