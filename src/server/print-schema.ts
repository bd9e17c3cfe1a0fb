import { writeFileSync } from 'node:fs'
import { printSchemaWithDirectives } from '../graphql/directives.ts'
import { schema } from './schema.ts'

/*
 * Writes `schema.graphql`. The file is committed, so that a diff shows changes of the API. With `-`, prints the schema
 * instead. Needs no database.
 */
const text = printSchemaWithDirectives(schema)
if (process.argv[2] === '-') process.stdout.write(text)
else writeFileSync(new URL('../../schema.graphql', import.meta.url), text)
