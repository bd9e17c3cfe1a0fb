import { readFileSync } from 'node:fs'

export const SCHEMA_PATH = '/schema.graphql'

/** The file is beside `package.json`, in a clone and in the published package. */
const FILE = new URL('../../schema.graphql', import.meta.url)

/** Serves the schema as a file, for tools that do not use introspection. */
export function createSchemaFile(): () => Response {
  const text = readFileSync(FILE, 'utf8')
  return () =>
    new Response(text, {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      },
    })
}
