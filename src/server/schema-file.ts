import { readFileSync } from 'node:fs'

export const SCHEMA_PATH = '/schema.graphql'

/** Beside `package.json`, in a clone and in the published package alike. */
const FILE = new URL('../../schema.graphql', import.meta.url)

/** Answers with the schema as a file, which tools read without introspection. */
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
