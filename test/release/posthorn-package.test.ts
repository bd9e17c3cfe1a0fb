import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { packPackage } from '../support/packed-package.ts'
import { useFolder } from '../support/use-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** The published package, in the `node_modules` of a project that uses it. */
const project = await useFolder('package')
let installed: string

beforeAll(async () => {
  installed = path.join(project, 'node_modules/posthorn')
  await mkdir(installed, { recursive: true })
  const archive = await packPackage(project)
  await execute('tar', ['-xzf', archive, '-C', installed, '--strip-components=1'])
  await symlink(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'))
})

async function compile(name: string, text: string, ...options: readonly string[]): Promise<void> {
  await writeFile(path.join(project, name), text)
  const args = ['--ignoreConfig', '--strict', '--module', 'nodenext', ...options, name]
  await execute(path.join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: project })
}

test('posthorn/portal-element can be imported on a server, where there is no DOM', async () => {
  const script = `import { PosthornPortal } from 'posthorn/portal-element'
    console.log(typeof document, PosthornPortal.observedAttributes.join())`
  const args = ['--input-type=module', '-e', script]
  const { stdout } = await execute(process.execPath, args, { cwd: project })
  expect(stdout).toBe('undefined src,label,background,foreground,padding,pages,locale\n')
})

test.each<string[]>([
  [
    'are complete without the types of Node or of a browser',
    ...['consumer.ts', 'es2023'],
    `import { type Verification, verify } from 'posthorn/receiver'
     export const result: Promise<Verification> = verify(new Uint8Array(), {}, 'whsec_')`,
  ],
  [
    'describe the element, its renewal and its events',
    ...['page.mts', 'es2023,dom'],
    `import { type PosthornPortal, type Renew, type SessionExpiring } from 'posthorn/portal-element'
     const renew: Renew = async () => 'https://webhooks.example.com/portal#token=phs_1'
     export const portal: PosthornPortal = document.createElement('posthorn-portal')
     portal.renew = renew
     portal.setAttribute('src', await renew())
     portal.addEventListener('session-expiring', (event) => {
       const { expiresAt } = (event as CustomEvent<SessionExpiring>).detail
       console.log(expiresAt.getTime())
     })
     // @ts-expect-error
     portal.renew = () => 'no promise'`,
  ],
])('its types %s', async (_what, name = '', lib = '', text = '') => {
  await compile(name, text, '--noEmit', '--lib', lib, '--types', '')
})

test('the package has its compiled files and what its pages link to, and no sources', () => {
  const files = globSync('**/*', { cwd: installed, exclude: ['node_modules'] })
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'docs/README.md',
      'docs/operate/runbook.md',
      'deploy/docker/Dockerfile',
      'dist/sbom.cdx.json',
      'schema.graphql',
    ]),
  )
  expect(existsSync(path.join(installed, '.env.example'))).toBe(true)
  const readme = readFileSync(path.join(installed, 'docs/README.md'), 'utf8')
  expect(readme).not.toMatch(/<picture|<img|images\//)
  expect(readme).toContain('\nThe console in five steps')
  // Pages show the programs of the documentation.
  const own = files.filter((file) => !/(^|\/)docs\/examples\//.test(file))
  const sources = own.filter((file) => /(?<!\.d)\.ts$|\.tgz$|(^|\/)test\//.test(file))
  expect(sources).toEqual([])
})

test('no link of its pages is dead', async () => {
  // test/site/built.test.ts has those of the built site.
  const pages = globSync('**/*.md', { cwd: installed, exclude: ['node_modules', 'dist'] })
  expect(pages.length).toBeGreaterThan(20)
  const dead: string[] = []
  let links = 0
  for (const page of pages) {
    const text = await readFile(path.join(installed, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [file = ''] = target.split('#')
      if (file === '' || /^[a-z]+:/.test(file)) continue
      links++
      if (!existsSync(path.join(installed, path.dirname(page), file)))
        dead.push(`${page}: ${target}`)
    }
  }
  expect(dead).toEqual([])
  expect(links).toBeGreaterThan(200)
})

test('installing it runs no script of its own', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
  expect(
    Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name)),
  ).toEqual([])
})

test('the page about embedding has an example that compiles and runs', async () => {
  await using database = await createTestDatabase()
  const page = await readFile(path.join(installed, 'docs/guides/test-your-receiver.md'), 'utf8')
  const [, example = ''] = /```ts\n(import [^\n]* from 'posthorn'\n.*?)```/s.exec(page) ?? []
  const program = example.replace('port: 4000', 'port: 0')
  const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')]
  await compile('embedding.mts', program, '--target', 'es2024', ...types)
  const { stdout } = await execute(process.execPath, ['embedding.mjs'], {
    cwd: project,
    env: { PATH: process.env['PATH'], ...testEnvironment(database.url) },
  })
  expect(stdout).toMatch(/^The console is at http:\/\/127\.0\.0\.1:\d+\/console\n$/)
})
