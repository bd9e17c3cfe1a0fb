import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pureTests } from './pure-tests.ts'

let root: string

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pure tests '))
  await mkdir(path.join(root, 'test/generated'), { recursive: true })
  await writeFile(path.join(root, 'test/generated/graphql.ts'), 'export {}\n')
  await writeFile(path.join(root, 'test/batch.ts'), "import path from 'node:path'\n")
  await writeFile(path.join(root, 'test/database.ts'), "import {\n  Pool,\n} from 'pg'\n")
  await writeFile(path.join(root, 'test/app.ts'), "export * from './database.ts'\n")
})

afterAll(() => rm(root, { recursive: true, force: true }))

const later = (name: string) => `const loaded = await import('${name}')`

async function isPure(code: string): Promise<boolean> {
  await writeFile(path.join(root, 'test/example.test.ts'), `${code}\n`)
  return pureTests(root).includes('test/example.test.ts')
}

test.each([
  "import { batch } from './batch.ts'",
  "import type { Pool } from 'pg'",
  "import type {\n  Pool,\n} from './database.ts'",
  "export type { Pool } from './app.ts'",
  "const name = 'pg'",
  later('./batch.ts'),
])('a test with %j starts nothing', async (code) => {
  expect(await isPure(code)).toBe(true)
})

test.each([
  "import { Pool } from 'pg'",
  "import path from 'node:path'\nimport {\n  spawn,\n} from 'node:child_process'",
  "import './database.ts'",
  "import { database } from './app.ts'",
  later('./app.ts'),
  "import { EventDocument } from './generated/graphql.ts'",
  "import { missing } from './missing.ts'",
])('a test with %j may start something', async (code) => {
  expect(await isPure(code)).toBe(false)
})
