import path from 'node:path'
import { type Generator, run } from './generator.ts'

/** From the package of this folder, because openapi-typescript needs TypeScript 5. */
const MODULES = path.resolve(import.meta.dirname, '../node_modules')
const GENERATOR = path.join(MODULES, 'openapi-typescript/bin/cli.js')
export const TSC = path.join(MODULES, 'typescript/bin/tsc')

export const openapiTypescript: Generator = {
  name: 'openapi-typescript',
  async install(folder) {
    await run(folder, process.execPath, [GENERATOR, '--version'])
  },
  async build(folder) {
    await run(folder, process.execPath, [GENERATOR, 'openapi.json', '--output', 'posthorn.d.ts'])
    await run(folder, process.execPath, [TSC, '--strict', '--noEmit', 'posthorn.d.ts'])
  },
}
