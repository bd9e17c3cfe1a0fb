import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkArchitecture } from './architecture.ts'
import { filesOf } from './support/files.ts'

const ROOT = path.join(import.meta.dirname, '..')

test('imports point one way, and the checker sees every file', async () => {
  expect(await checkArchitecture()).toEqual({ violations: [], unseen: [] })
})

test('the examples import no file of Posthorn, so that anyone can copy them', async () => {
  const files = (await filesOf(ROOT, ['examples'])).filter((file) => /\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(30)
  const outside: string[] = []
  for (const file of files) {
    const text = await readFile(path.join(ROOT, file), 'utf8')
    for (const [, imported = ''] of text.matchAll(/^(?:import|export|\}) .*?'(.+)'$/gm)) {
      const target = imported.startsWith('.') ? path.join(path.dirname(file), imported) : ''
      const isOwn = target === '' || target.startsWith('examples/')
      if (!isOwn || /^(posthorn|@posthorn)(\/|$)/.test(imported))
        outside.push(`${file}: ${imported}`)
    }
  }
  expect(outside).toEqual([])
})
