import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { startTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PAGE = readFileSync('docs/guides/mcp.md', 'utf8')
const ROOT = path.join(import.meta.dirname, '../..')

const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  )

test('the page lists the tools with their scopes, in their order', () => {
  const rows = [...PAGE.matchAll(/^\| `([a-z_]+)` \| (.*?) ?\| (Changes: )?/gm)]
  expect(
    rows.map(([, name, scopes = '', changes]) => [name, scopes, changes !== undefined]),
  ).toEqual(
    TOOLS.map(({ name, scopes, changes }) => [
      name,
      scopes.map((scope) => `\`${scope}\``).join(', '),
      changes,
    ]),
  )
})

test('the key of the page has every scope of the tools that read', () => {
  const [block = ''] = blocksOf('sh')
  const given = [...block.matchAll(/--scope ([a-z:]+)/g)].map(([, scope]) => scope)
  const needed = TOOLS.filter(({ changes }) => !changes).flatMap(({ scopes }) => scopes)
  expect(new Set(given)).toEqual(new Set(needed))
})

test('the program of the page lists the webhooks in trouble', async () => {
  await using posthorn = await startTestApp({ environment: { POSTHORN_MCP: 'read' } })
  const folder = await mkdtemp(path.join(temporaryFolder(), 'posthorn mcp page '))
  const [program = ''] = blocksOf('ts')
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
