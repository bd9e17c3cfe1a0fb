import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseCatalogueFile } from '../../../src/event-types/catalogue/parse-catalogue.ts'
import { printOpenApiDocument } from '../../../src/server/rest/connect-v1/openapi.ts'
import { FOREIGN_DOCUMENTS } from '../../event-types/foreign-documents.ts'
import { openapiGenerators } from './openapi-generator.ts'
import { openapiPythonClient } from './openapi-python-client.ts'

/*
 * Generates a client of the OpenAPI document with each generator and compiles it. Most documents have the event types of
 * other people's documents. A generator that this machine cannot run is left out with a line that says why; in CI that is a
 * failure. `test/server/rest/openapi.test.ts` uses openapi-typescript.
 */

const GENERATORS = [...openapiGenerators, openapiPythonClient]

const types = FOREIGN_DOCUMENTS.flatMap(([shape, { text }]) => {
  const given = parseCatalogueFile(Buffer.from(text), `${shape}.json`).types
  return given.map((type) => ({
    ...type,
    group: null,
    description: `${type.others['description']}`,
  }))
})
const print = (of: typeof types) => printOpenApiDocument('https://webhooks.example.com', 'wh-', of)
const [withTypes, general] = [await print(types), await print([])]
const root = await mkdtemp(path.join(tmpdir(), 'posthorn-clients-'))
try {
  for (const [index, { name, readsEventTypes, install, build }] of GENERATORS.entries()) {
    const folder = path.join(root, `${index}`)
    await mkdir(folder)
    await writeFile(path.join(folder, 'openapi.json'), readsEventTypes ? withTypes : general)
    const reason = await install(folder).then(() => null, String)
    if (reason !== null) {
      console.log(`left out  ${name}: ${reason.trim().split('\n').at(-1)}`)
      if (process.env['CI']) process.exitCode = 1
      continue
    }
    try {
      await build(folder)
      console.log(`compiles  ${name}`)
    } catch (error) {
      console.log(`FAILS     ${name}: ${(error as Error).message}`)
      process.exitCode = 1
    }
  }
} finally {
  await rm(root, { recursive: true, force: true })
}
