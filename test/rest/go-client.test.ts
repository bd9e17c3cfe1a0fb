import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { oapiCodegen } from '../openapi-client/generators/oapi-codegen.ts'
import { needsOptional } from '../support/left-out.ts'

/** `npm run test:clients` generates the clients of all generators. */
describe('the Go client that oapi-codegen generates by default', needsOptional('go'), () => {
  let folder: string
  /** Why the generator cannot be built here, such as without a network; or null. */
  let missing: string | null
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'posthorn-go-client-'))
    missing = await oapiCodegen.install(folder).then(
      () => null,
      (error: Error) => `no modules of Go: ${error.message.trim().split('\n').at(-1)}`,
    )
  })
  beforeEach(({ skip }) => {
    if (missing !== null) skip(missing)
  })
  afterAll(() => rm(folder, { recursive: true }))

  const build = async (document: object) => {
    await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document))
    await oapiCodegen.build(folder)
  }

  test('compiles', async () => {
    await build(openApiDocument('https://webhooks.example.com'))
  })

  test('would break by a schema that only the section webhooks references', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
    const document: any = structuredClone(openApiDocument('/'))
    const content = document.webhooks.delivery.post.requestBody.content['application/json']
    document.components.schemas.Delivery = content.schema
    content.schema = { $ref: '#/components/schemas/Delivery' }
    await expect(build(document)).rejects.toThrow('undefined: Delivery')
  })
})
