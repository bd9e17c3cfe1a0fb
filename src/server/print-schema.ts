import { writeFileSync } from 'node:fs'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './schema.ts'

/*
 * Writes `schema.graphql`, which is committed so that a change of the API is seen in its diff; with `-`, prints it.
 * Needs no database.
 */
const text = `${printSchema(lexicographicSortSchema(schema))}\n`
if (process.argv[2] === '-') process.stdout.write(text)
else writeFileSync(new URL('../../schema.graphql', import.meta.url), text)
