import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

test('schema.graphql is current, and can be printed without a database', async () => {
  const { DATABASE_URL: _, ...env } = process.env
  const script = new URL('src/server/print-schema.ts', root)
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script), '-'], {
    env,
  })
  expect(stdout).toBe(await readFile(new URL('schema.graphql', root), 'utf8'))
})
