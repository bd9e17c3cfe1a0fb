import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { filesOf } from './files.ts'
import { findProgram, whyMissing } from './installed-program.ts'
import { leftOutFor, needs, needsOptional } from './left-out.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn programs '))
  vi.stubEnv('PATH', `${folder}${path.delimiter}${process.env['PATH']}`)
  vi.stubEnv('POSTHORN_TEST_ALL', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

test('a program is found if it can be run, and not if it cannot', async () => {
  const file = path.join(folder, 'posthorn-program')
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o644)
  await mkdir(path.join(folder, 'posthorn-folder'))
  expect(findProgram('posthorn-program')).toBeUndefined()
  expect(findProgram('posthorn-folder')).toBeUndefined()
  await chmod(file, 0o755)
  expect(findProgram('posthorn-program')).toBe(file)
})

test('a test without its program is left out with the remedy', () => {
  const reason = 'posthorn-program is not installed (apt-get install posthorn-program)'
  expect(whyMissing('posthorn-program')).toBe(reason)
  expect(needs('node', 'posthorn-program')).toEqual({ skip: true, meta: { leftOut: reason } })
  expect(needs('node')).toEqual({})
})

test('where nothing may be left out, a reason to do so is an error, unless the program is optional', () => {
  vi.stubEnv('POSTHORN_TEST_ALL', '1')
  expect(() => needs('posthorn-program')).toThrow(/posthorn-program is not installed .*_ALL is set/)
  expect(() => leftOutFor('this needs root')).toThrow(/this needs root/)
  expect(leftOutFor(null)).toEqual({})
  expect(needsOptional('posthorn-program').skip).toBe(true)
})

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test.each([
  ['takes a file: URL for a path', /import\.meta\.url\)\.pathname/],
  ['takes a program for given at a path', /['"`]\/(usr|opt)\/(local\/)?(bin|sbin|lib)\//],
])('no code %s', async (_what, pattern) => {
  const files = await filesOf(ROOT, ['src', 'test', 'examples', 'packages'])
  expect(files.length).toBeGreaterThan(900)
  const found: string[] = []
  for (const file of files.filter((name) => /\.[jt]sx?$/.test(name))) {
    const text = await readFile(path.join(ROOT, file), 'utf8')
    if (!file.startsWith('test/deploy/') && pattern.test(text)) found.push(file)
  }
  expect(found).toEqual([])
})
