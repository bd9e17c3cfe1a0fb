import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { clientTraps } from './client-traps.ts'

/** The document of the server, to change. */
// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
const served = (): any => structuredClone(openApiDocument('/'))

test('the OpenAPI document has none of the names that break generated clients', () => {
  expect(clientTraps(served())).toEqual([])
})
