import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { oapiCodegen } from '../openapi-client/generators/oapi-codegen.ts'

/** `npm run test:clients` generates the clients of all generators. */
let folder: string
/** Why Go, or the generator, cannot run here. */
let missing: string | undefined
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-go-client-'))
  missing = await oapiCodegen.install(folder).then(
    () => undefined,
    (error: Error) =>
      `left out without Go and its modules: ${error.message.trim().split('\n').at(-1)}`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

const build = async (document: object) => {
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document))
  await oapiCodegen.build(folder)
}

test('the Go client that oapi-codegen generates by default compiles', async ({ skip }) => {
  if (missing !== undefined) skip(missing)
  await build(openApiDocument('https://webhooks.example.com'))
})

test('a schema that only the section webhooks references would break it', async ({ skip }) => {
  if (missing !== undefined) skip(missing)
  // biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
  const document: any = structuredClone(openApiDocument('/'))
  const content = document.webhooks.delivery.post.requestBody.content['application/json']
  document.components.schemas.Delivery = content.schema
  content.schema = { $ref: '#/components/schemas/Delivery' }
  await expect(build(document)).rejects.toThrow('undefined: Delivery')
})
