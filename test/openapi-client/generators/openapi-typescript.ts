import path from 'node:path'
import { installPackages } from '../../../install/install-packages.ts'
import { type Generator, run } from './generator.ts'

const PACKAGE = path.resolve(import.meta.dirname, '..')
const MODULES = path.join(PACKAGE, 'node_modules')
const GENERATOR = path.join(MODULES, 'openapi-typescript/bin/cli.js')
export const TSC = path.join(MODULES, 'typescript/bin/tsc')

export const openapiTypescript: Generator = {
  name: 'openapi-typescript',
  async install(folder) {
    const missing = await installPackages(PACKAGE)
    if (missing !== null) throw new Error(missing)
    await run(folder, process.execPath, [GENERATOR, '--version'])
  },
  async build(folder) {
    await run(folder, process.execPath, [GENERATOR, 'openapi.json', '--output', 'posthorn.d.ts'])
    await run(folder, process.execPath, [TSC, '--strict', '--noEmit', 'posthorn.d.ts'])
  },
}
