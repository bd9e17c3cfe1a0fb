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
  readsEventTypes: true,
  async install(folder) {
    await cp(MODULE, folder, { recursive: true })
    await run(folder, 'go', ['build', ...IMPORTS])
    await run(folder, 'go', ['tool', 'oapi-codegen', '-version'])
  },
  async build(folder) {
    // It prunes schemas to which only webhooks refer.
    const config =
      'package: client\ngenerate: { models: true, client: true }\noutput-options: { skip-prune: true }\n'
    await writeFile(path.join(folder, 'config.yaml'), config)
    await writeFile(
      path.join(folder, 'client.go'),
      await run(folder, 'go', ['tool', 'oapi-codegen', '-config', 'config.yaml', 'openapi.json']),
    )
    await run(folder, 'go', ['vet', '.'])
  },
}
