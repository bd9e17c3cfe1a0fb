import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { useResource } from '../support/use-resource.ts'
import { createReceiverProject } from './support/packed-receiver.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'))

/** A project that has nothing but the packed package. */
const project = await useResource(createReceiverProject())

test('the package has the license of Posthorn, and no dependencies', async () => {
  const { license } = await readJson(path.join(ROOT, 'packages/client/package.json'))
  const manifest = await readJson(path.join(project.installed, 'package.json'))
  expect(manifest).toMatchObject({ license, sideEffects: false, engines: { node: '>=20' } })
  const lists = Object.keys(manifest).filter((name) => /dependencies/i.test(name))
  expect(lists).toEqual([])
})

test('the package has compiled files, and no sources', () => {
  expect(project.packed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/cjs/index.js']),
  )
  expect(project.packed.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/cjs/package.json',
    'package.json',
  ])
})

describe.each([
  ['ES modules', 'dist'],
  ['CommonJS', 'dist/cjs'],
])('%s', (_, folder) => {
  test('what verify, verifyRequest and sign load is at most 4 KB compressed', async () => {
    const files = await loadedBy(path.join(project.installed, folder, 'index.js'))
    const code = await Promise.all(files.map((file) => readFile(file)))
    const size = gzipSync(Buffer.concat(code), { level: 9 }).length
    expect(code.join('')).toContain('HMAC')
    expect(size).toBeLessThanOrEqual(4_096)
  })

  test('it loads files of the package only, whichever entry is imported', async () => {
    const entries = project.packed.filter((file) => entry(folder).test(file))
    expect(entries).toHaveLength(6)
    for (const file of entries) {
      const files = await loadedBy(path.join(project.installed, file))
      expect(files.every((one) => one.startsWith(project.installed))).toBe(true)
    }
  })
})

const entry = (folder: string) =>
  new RegExp(`^${folder}/(index|frameworks/(aws-lambda|express|fastify|hono|next))\\.js$`)

/** A file, and all files that it imports or requires, directly or indirectly. */
async function loadedBy(file: string, loaded: string[] = []): Promise<string[]> {
  if (loaded.includes(file)) return loaded
  loaded.push(file)
  const code = await readFile(file, 'utf8')
  for (const [, specifier = ''] of code.matchAll(
    /(?:\bfrom|\bimport|\brequire\()\s*["'`]([^"'`]+)["'`]/g,
  )) {
    expect(specifier).toMatch(/^\.\.?\//)
    await loadedBy(path.resolve(path.dirname(file), specifier), loaded)
  }
  return loaded
}
