import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { TICKET } from '../support/factories.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const execute = promisify(execFile)

/** A project that has nothing but the packed package. */
let folder: string
let packed: readonly string[]
let posthorn: TestApp

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn client '))
  posthorn = await startTestApp({ role: 'api' })
  packed = await install()
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Packs a copy of the package, with its own script, and unpacks the archive in `node_modules` of the project. */
async function install(): Promise<readonly string[]> {
  const clone = path.join(folder, 'clone')
  const source = path.join(clone, 'packages/client')
  await cp(path.join(ROOT, 'packages/client'), source, {
    recursive: true,
    filter: (file) => !/[/\\](dist|node_modules)$/.test(file),
  })
  await cp(path.join(ROOT, 'tsconfig.json'), path.join(clone, 'tsconfig.json'))
  await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'))
  const stdout = await run('npm', ['pack', '--json', '--pack-destination', folder], source)
  const [archive] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  const installed = path.join(folder, 'node_modules/@posthorn/client')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', archive.filename, '-C', installed, '--strip-components=1'], folder)
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

test('the package has its compiled files, and no dependency', async () => {
  const manifest = JSON.parse(
    await readFile(path.join(ROOT, 'packages/client/package.json'), 'utf8'),
  )
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  expect(packed.filter((file) => !/^dist\/(cjs\/)?[a-z-]+\.(js|d\.ts)$/.test(file))).toEqual([
    'LICENSE',
    'README.md',
    'dist/cjs/package.json',
    'documents.json',
    'package.json',
  ])
  expect(packed).toEqual(expect.arrayContaining(['dist/index.js', 'dist/cjs/index.d.ts']))
})

const PROGRAMS = {
  'main.mjs': `import { createClient, PosthornError } from '@posthorn/client'`,
  'main.cjs': `const { createClient, PosthornError } = require('@posthorn/client')`,
}

describe.each(Object.entries(PROGRAMS))('%s', (file, imports) => {
  test('publishes, and learns why it cannot', async () => {
    const program = `${imports}
      const [url, token, type] = process.argv.slice(2)
      const posthorn = createClient({ url, token })
      posthorn.publish(type, { file: '${file}' })
        .then(({ id }) => console.log(id.slice(0, 4)))
        .then(() => posthorn.publish('no.such_type', 1))
        .catch((error) => console.log(error instanceof PosthornError, error.code))`
    await writeFile(path.join(folder, file), program)
    const { app, tenant } = posthorn
    const stdout = await run('node', [file, `${app.url}/graphql`, tenant.token, TICKET], folder)
    expect(stdout).toBe('evt_\ntrue BAD_USER_INPUT\n')
  })
})

describe.each([
  ['an ES module', 'nodenext', 'mts'],
  ['a CommonJS module', 'nodenext', 'cts'],
  ['a bundler', 'bundler', 'ts'],
])('the types for %s', (_, moduleResolution, extension) => {
  test('let the examples of the README compile, and nothing wrong', async () => {
    const examples = await readmeExamples()
    const isModule = extension !== 'cts'
    expect(await typecheck(moduleResolution, `readme.${extension}`, examples, isModule)).toBe('')
    const wrong = examples.replace("'order.shipped', {", "'order.shiped', {")
    const errors = await typecheck(moduleResolution, `wrong.${extension}`, wrong, isModule)
    expect(errors).toContain(`'"order.shiped"' is not assignable`)
  })
})

/** The examples as one file. */
async function readmeExamples(): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'packages/client/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '')
  expect(examples.length).toBeGreaterThanOrEqual(4)
  const lines = examples.join('').split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const others = lines.filter((line) => !line.startsWith('import '))
  return `${imports.join('\n')}
declare const process: { env: { POSTHORN_API_KEY?: string } }
declare function publishLater(type: string, data: unknown, key: string | undefined): Promise<void>
export async function main() {\n${others.join('\n')}\n}`
}

/** The errors of the compiler, or ''. */
async function typecheck(
  moduleResolution: string,
  file: string,
  text: string,
  isModule: boolean,
): Promise<string> {
  await writeFile(path.join(folder, file), text)
  const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
  const modules = ['--module', module, '--moduleResolution', moduleResolution]
  const syntax = ['--verbatimModuleSyntax', String(isModule)]
  const target = ['--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
  const args = ['--ignoreConfig', '--strict', '--noEmit', ...target, ...modules, ...syntax, file]
  return await run('tsc', args, folder).then(
    () => '',
    (error: Error) => error.message,
  )
}
