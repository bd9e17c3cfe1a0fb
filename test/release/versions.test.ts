import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { releaseChangelog, releasedVersions } from '../../release/changelog.ts'
import { developmentAfter, isHigher, isRelease, withVersion } from '../../release/versions.ts'
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

test('versions are compared as numbers, and followed by the next minor version', () => {
  expect(['0.3.0', '0.3', 'v0.3.0', '0.3.0-rc.1', '01.0.0', ''].filter(isRelease)).toEqual([
    '0.3.0',
  ])
  expect(isHigher('0.10.0', '0.9.12')).toBe(true)
  expect(isHigher('1.0.0', '0.99.99')).toBe(true)
  expect(isHigher('0.3.0', '0.3.0')).toBe(false)
  expect(isHigher('0.2.9', '0.3.0')).toBe(false)
  expect(developmentAfter('0.3.1')).toBe('0.4.0-dev')
})

test('a version is replaced where it is named, and not within another one', () => {
  const text =
    'posthorn-0.3.0-dev.tgz posthorn:0.3.0-dev, "0.3.0-dev". v0.3.0-dev 10.3.0-dev 0.3.0-developer'
  expect(withVersion(text, '0.3.0-dev', '0.3.0')).toBe(
    'posthorn-0.3.0.tgz posthorn:0.3.0, "0.3.0". v0.3.0 10.3.0-dev 0.3.0-developer',
  )
})

test('what is unreleased moves under the version and its date', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A.\n\n## 0.2.0 - 2026-01-01\n\n- B.\n'
  const released = releaseChangelog(changelog, '0.3.0', '2026-02-03')
  expect(released).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## 0.3.0 - 2026-02-03\n\n### Added\n\n- A.\n\n## 0.2.0 - 2026-01-01\n\n- B.\n',
  )
  expect(releasedVersions(released)).toEqual(['0.3.0', '0.2.0'])
  expect(() => releaseChangelog(released, '0.4.0', '2026-02-04')).toThrow(
    'there is nothing to release',
  )
})
