import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { useFolder } from '../support/use-folder.ts'

const ROOT = path.join(import.meta.dirname, '../..')

const home = await useFolder('npx')

/*
 * npm installs a package that lacks a program in node_modules/.bin, which would generate the Prisma client, and it installs
 * one for its own root on every call.
 */
test('npx runs posthorn in a clone with an empty cache, and installs and builds nothing', async () => {
  const changed = async (file: string) => (await stat(path.join(ROOT, file))).mtimeMs
  const built = ['src/db/generated', 'node_modules']
  const before = await Promise.all(built.map(changed))
  const { stdout, stderr } = await promisify(execFile)('npx', ['posthorn', '--version'], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env['PATH'], HOME: home },
      ...{ npm_config_offline: 'true', npm_config_update_notifier: 'false' },
    },
  })
  expect([stdout, stderr]).toEqual([`${VERSION}\n`, ''])
  expect(await Promise.all(built.map(changed))).toEqual(before)
  expect(await readdir(path.join(home, '.npm'))).not.toContain('_npx')
})
