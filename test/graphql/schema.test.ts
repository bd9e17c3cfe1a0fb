import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse, visit } from 'graphql'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

test('schema.graphql is current, and can be printed without a database', async () => {
  const { DATABASE_URL: _, ...env } = process.env
  const script = new URL('src/server/print-schema.ts', root)
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(script), '-'], {
    env,
  })
  expect(stdout).toBe(await readFile(new URL('schema.graphql', root), 'utf8'))
})

test('every type, field, argument and value has a description', async () => {
  const bare: string[] = []
  const check = (node: { name: { value: string }; description?: unknown }) => {
    if (!node.description) bare.push(node.name.value)
  }
  visit(parse(await readFile(new URL('schema.graphql', root), 'utf8')), {
    ObjectTypeDefinition: check,
    InterfaceTypeDefinition: check,
    UnionTypeDefinition: check,
    EnumTypeDefinition: check,
    InputObjectTypeDefinition: check,
    ScalarTypeDefinition: check,
    EnumValueDefinition: check,
    FieldDefinition: check,
    InputValueDefinition: check,
  })
  expect(bare).toEqual([])
})
