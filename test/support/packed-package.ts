import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

/** Packs the package as `npm pack` does, with the program compiled from the present source. Returns the archive. */
export async function packPackage(folder: string): Promise<string> {
  const staging = path.join(folder, 'package')
  const { files } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))
  const folders = files.map((file: string) => file.split('/*')[0])
  await mkdir(staging, { recursive: true })
  for (const file of ['package.json', 'README.md', 'LICENSE', 'dist/console', ...folders]) {
    if (file === 'dist') continue
    await cp(path.join(ROOT, file), path.join(staging, file), { recursive: true })
  }
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc')
  const output = ['--outDir', path.join(staging, 'dist')]
  await execute(tsc, ['--project', 'tsconfig.build.json', ...output], { cwd: ROOT })
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await execute('npm', ['pack', ...options], { cwd: staging })
  const [{ filename }] = JSON.parse(stdout)
  return path.join(folder, filename)
}
