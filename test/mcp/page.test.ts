import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = path.join(import.meta.dirname, '../..')

test('the program of the page lists the webhooks in trouble', async () => {
  await using posthorn = await startTestApp({ environment: { POSTHORN_MCP: 'read' } })
  const folder = await mkdtemp(path.join(temporaryFolder(), 'posthorn mcp page '))
  const page = readFileSync('docs/guides/mcp.md', 'utf8')
  const [, program = ''] = /^```ts\n(.*?)^```/ms.exec(page) ?? []
  await writeFile(path.join(folder, 'program.ts'), program)
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [path.join(folder, 'program.ts')],
    {
      env: {
        ...process.env,
        POSTHORN_URL: posthorn.app.url,
        POSTHORN_API_KEY: posthorn.tenant.token,
      },
    },
  )
  expect(stdout).toContain('totalCount: 0')
  await rm(folder, { recursive: true })
})
