import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../..')
const PACKAGE = 'packages/mcp-events'
const execute = promisify(execFile)

/** A project that has the packed package, and the SDK that it needs. */
let folder: string
let packed: readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn mcp events '))
  packed = await install()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Packs a copy of the package, with its own script, and unpacks the archive in `node_modules` of the project. */
async function install(): Promise<readonly string[]> {
  const clone = path.join(folder, 'clone')
  const source = path.join(clone, PACKAGE)
  await cp(path.join(ROOT, PACKAGE), source, {
    recursive: true,
    filter: (file) => !/[/\\](dist|node_modules)$/.test(file),
  })
  await cp(path.join(ROOT, 'tsconfig.json'), path.join(clone, 'tsconfig.json'))
  await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'))
  const stdout = await run('npm', ['pack', '--json', '--pack-destination', folder], source)
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  const installed = path.join(folder, 'node_modules/@posthorn/mcp-events')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', archive.filename, '-C', installed, '--strip-components=1'], folder)
  for (const name of ['@modelcontextprotocol', 'zod', '@types', 'undici-types']) {
    await symlink(path.join(ROOT, 'node_modules', name), path.join(folder, 'node_modules', name))
  }
  await rm(clone, { recursive: true })
  return archive.files.map((file: { path: string }) => file.path)
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const PATH = `${path.join(ROOT, 'node_modules/.bin')}${path.delimiter}${process.env['PATH']}`
  const options = { cwd, env: { ...process.env, PATH, NO_COLOR: '1' } }
  const { stdout } = await execute(program, [...args], options).catch((error) => {
    throw new Error(`${program} ${args.join(' ')}:\n${error.stdout}${error.stderr}`)
  })
  return stdout
}

test('the package has its compiled files, and needs the SDK only', async () => {
  const manifest = JSON.parse(await readFile(path.join(ROOT, PACKAGE, 'package.json'), 'utf8'))
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([
    'peerDependencies',
  ])
  expect(manifest.peerDependencies).toEqual({ '@modelcontextprotocol/server': '^2.4.0' })
  expect(packed.filter((file) => !/^dist\/[a-z-]+\.(js|d\.ts)$/.test(file))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(packed).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']))
})

test('the code has at most 7 KB compressed, and no import but its own files', async () => {
  const files = packed.filter((file) => file.endsWith('.js'))
  const code = await Promise.all(
    files.map((file) =>
      readFile(path.join(folder, 'node_modules/@posthorn/mcp-events', file), 'utf8'),
    ),
  )
  expect(gzipSync(code.join(''), { level: 9 }).length).toBeLessThanOrEqual(7_168)
  const imports = [...code.join('').matchAll(/^(?:import|export) .* from '([^']+)'/gm)]
  expect(imports.length).toBeGreaterThan(10)
  expect(imports.filter(([, from]) => !from?.startsWith('./'))).toEqual([])
})

describe.each(['packages/mcp-events/README.md', 'docs/guides/agents.md'])('%s', (page) => {
  test('has an example that compiles, and that runs', async () => {
    const example = await exampleOf(page)
    expect(await typecheck('example.mts', example)).toBe('')
    const wrong = example.replace('principal:', 'principle:')
    expect(await typecheck('wrong.mts', wrong)).toContain("'principle' does not exist")
    const program = `${example}
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
      const response = await handler.fetch(new Request('https://shop.example/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      }))
      console.log((await response.text()).includes('"events":{}'))`
    await writeFile(path.join(folder, 'run.mts'), program)
    expect(await run('node', ['run.mts'], folder)).toBe('true\n')
  })
})

async function exampleOf(page: string): Promise<string> {
  const text = await readFile(path.join(ROOT, page), 'utf8')
  const [, example] = /```ts\n(.*?)```/s.exec(text) ?? []
  expect(example).toBeDefined()
  return example ?? ''
}

/** The errors of the compiler, or ''. */
async function typecheck(file: string, text: string): Promise<string> {
  await writeFile(path.join(folder, file), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: ['node'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
  }
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [file] }),
  )
  return await run('tsc', ['--project', '.'], folder).then(
    () => '',
    (error: Error) => error.message,
  )
}
