import { cp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Generator, run } from './generator.ts'

/** `go.mod` pins the generator and what its clients import. */
const MODULE = path.resolve(import.meta.dirname, '../go')
const IMPORTS = [
  'github.com/getkin/kin-openapi/openapi3',
  'github.com/labstack/echo/v4',
  'github.com/oapi-codegen/runtime',
]

export const oapiCodegen: Generator = {
  name: 'oapi-codegen (Go)',
  async install(folder) {
    await cp(MODULE, folder, { recursive: true })
    await run(folder, 'go', ['build', ...IMPORTS])
    await run(folder, 'go', ['tool', 'oapi-codegen', '-version'])
  },
  async build(folder) {
    await writeFile(
      path.join(folder, 'client.go'),
      await run(folder, 'go', ['tool', 'oapi-codegen', 'openapi.json']),
    )
    await run(folder, 'go', ['vet', '.'])
  },
}
