import { readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../src/server/schema.ts'

const FOLDER = new URL('../../../examples/terraform/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

const CONFIGURATION = read('main.tf')

/** A resource of the configuration, and its documents by the name of the argument. */
function resourceOf(name: string) {
  const start = CONFIGURATION.indexOf(`resource "graphql_mutation" "${name}" {`)
  const block = CONFIGURATION.slice(start, CONFIGURATION.indexOf('\n}\n', start))
  const files = [...block.matchAll(/(\w+)\s*= file\("\$\{path\.module\}\/(.+)"\)/g)]
  const documents = files.map(([, role = '', file = '']) => [role, read(file)] as const)
  return { block, documents: Object.fromEntries(documents) }
}

test.each(['organization', 'webhook'])(
  'the documents of the %s fit the schema, and the configuration gives their variables',
  (name) => {
    const { block, documents } = resourceOf(name)
    expect(Object.keys(documents).toSorted()).toEqual([
      ...['create_mutation', 'delete_mutation', 'read_query', 'update_mutation'],
    ])
    for (const text of Object.values(documents)) {
      const document = parse(text)
      expect(validate(schema, document)).toEqual([])
      const names = text.matchAll(/\$(\w+):/g)
      for (const [, variable] of names) expect(block).toContain(`"${variable}"`)
    }
  },
)
