import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { filesOf } from '../support/files.ts'

const ROOT = path.join(import.meta.dirname, '../..')

/** Calls that start a database, a Posthorn or a program for one file. */
const STARTS =
  /\b(startTestApp|createTestDatabase|useTestDatabase|createBlankDatabase|useFreshDatabase|openApi|startPosthorn|runPosthorn|startInstallation|startConsoleServer|seedServer|useProxiedApp)\(|useApi\('own'\)|useTestApp\(\{(?! role: 'api' \}\))/

/** What `npm test` leaves out. */
const LEFT_OUT = /^test\/(deploy|docs|site|examples|pages|receiver|release)\/|\.slow\.test\.ts$/

test('each file that starts something of its own stands once in the table, with its reason', async () => {
  const starting: string[] = []
  for (const file of await filesOf(ROOT, ['test'])) {
    if (!file.endsWith('.test.ts') || LEFT_OUT.test(file)) continue
    const text = await readFile(path.join(ROOT, file), 'utf8')
    if (STARTS.test(text)) starting.push(file.slice('test/'.length, -'.test.ts'.length))
  }
  const table = await readFile(path.join(ROOT, 'test/own-starts.md'), 'utf8')
  const named = [...table.matchAll(/^\| [^|]+ \| ([a-z][a-z0-9/ -]+) \|$/gm)].flatMap(([, files]) =>
    (files as string).split(' '),
  )
  expect(named.toSorted()).toEqual(starting.toSorted())
})
