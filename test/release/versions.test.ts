import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { runPosthorn } from '../support/posthorn-process.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const read = async (file: string) => await readFile(path.join(ROOT, file), 'utf8')

test('every package, the lock file, the chart and the program have one version', async () => {
  const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })]
  expect(manifests.length).toBeGreaterThan(2)
  for (const file of manifests) expect(JSON.parse(await read(file)).version, file).toBe(VERSION)
  const { version, packages } = JSON.parse(await read('package-lock.json'))
  const locked = ['', ...manifests.slice(1).map(path.dirname)].map((name) => packages[name].version)
  expect(new Set([version, ...locked])).toEqual(new Set([VERSION]))
  const chart = await read('deploy/helm/posthorn/Chart.yaml')
  expect(chart).toContain(`\nversion: ${VERSION}\nappVersion: ${VERSION}\n`)
  expect((await runPosthorn(['--version'])).stdout).toBe(`${VERSION}\n`)
})

test('no file names another archive, image or version of Posthorn than this one', async () => {
  const pattern = '(posthorn[:-]|Posthorn/)[0-9]+\\.[0-9]+\\.[0-9]+[-a-z]*'
  const args = ['grep', '-hoE', pattern, '--', 'docs', 'deploy', 'packages', 'README.md']
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT })
  const named = new Set(
    stdout
      .trim()
      .split('\n')
      .map((text) => text.replace(/^posthorn[:-]|^Posthorn\//, '')),
  )
  expect(named).toEqual(new Set([VERSION]))
})
