import { mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runProgram } from '../../support/installed-program.ts'
import { COMPILER_OPTIONS } from '../guides/support/typescript.ts'
import { type Block, ROOT } from './pages.ts'

type Code = Pick<Block, 'page' | 'line' | 'language' | 'text'>

/** What the compiler says about blocks of TypeScript, each as a module of its own in a program of a reader. */
export async function typeErrors(blocks: readonly Code[]): Promise<string[]> {
  await using temporary = await mkdtempDisposable(path.join(tmpdir(), 'posthorn pages '))
  const folder = temporary.path
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(CONFIGURATION))
  const files = new Map<string, Code>()
  for (const [i, block] of blocks.entries()) {
    const file = `block-${i}.${block.language}`
    files.set(file, block)
    await writeFile(path.join(folder, file), `${block.text}\nexport {}\n`)
  }
  return (await compile(folder))
    .split('\n')
    .filter((line) => line.includes('error') && !ONLY_IN_TYPESCRIPT.test(line))
    .map((line) =>
      line.replace(/^([\w-]+\.[jt]sx?)\((\d+),\d+\)/, (found, file, inBlock) => {
        const block = files.get(file)
        return block ? `${block.page}:${block.line + Number(inBlock) - 1}` : found
      }),
    )
}

/** The packages of this repository are their sources. */
const CONFIGURATION = {
  compilerOptions: {
    ...COMPILER_OPTIONS,
    module: 'preserve',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    jsx: 'react-jsx',
    allowJs: true,
    checkJs: true,
    lib: ['esnext', 'dom', 'dom.iterable'],
    paths: {
      '@posthorn/receiver': [path.join(ROOT, 'packages/receiver/src/index.ts')],
      '@posthorn/client': [path.join(ROOT, 'packages/client/src/index.ts')],
    },
  },
  include: ['*'],
}

/** JavaScript declares no types of parameters, and its surroundings come after it. */
const ONLY_IN_TYPESCRIPT = /\.jsx?\(.*error TS(2454|7006|7019|7031)/

async function compile(folder: string): Promise<string> {
  const args = [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', folder]
  return (await runProgram(process.execPath, [...args, '--pretty', 'false'], { cwd: folder }))
    .stdout
}
