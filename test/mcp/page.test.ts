import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { useFolder } from '../support/use-folder.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const folder = await useFolder('mcp page')

test('the program of the page lists the webhooks in trouble', async () => {
  await using posthorn = await startTestApp({ environment: { POSTHORN_MCP: 'read' } })
  const page = readFileSync('docs/guides/mcp.md', 'utf8')
  const [, program = ''] = /^```ts\n(.*?)^```/ms.exec(page) ?? []
  await writeFile(path.join(folder, 'program.ts'), program)
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const { url } = posthorn.app
  const env = { ...process.env, POSTHORN_URL: url, POSTHORN_API_KEY: posthorn.tenant.token }
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], {
    cwd: folder,
    env,
  })
  expect(stdout).toContain('totalCount: 0')
})
