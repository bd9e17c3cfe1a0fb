import { expect, test } from 'vitest'
import { blocksOf, read } from '../docs/support/pages.ts'
import { typeErrors } from '../docs/support/type-errors.ts'

const PAGE = 'packages/client/README.md'

test('the examples of the README compile as one program, and a misspelled event type does not', async () => {
  const examples = blocksOf(PAGE).filter(({ language }) => language === 'ts')
  expect(examples.length).toBeGreaterThanOrEqual(4)
  const lines = examples.flatMap(({ text }) => text.split('\n'))
  const isImport = (line: string) => line.startsWith('import ')
  const text = `${lines.filter(isImport).join('\n')}
    declare function publishLater(type: string, data: unknown, key: string | undefined): Promise<void>
    export async function main() {\n${lines.filter((line) => !isImport(line)).join('\n')}\n}`
  const compile = (code: string) =>
    typeErrors([{ page: PAGE, line: 1, language: 'ts', text: code }])
  expect(await compile(text)).toEqual([])
  const wrong = text.replace("'order.shipped', {", "'order.shiped', {")
  expect((await compile(wrong)).join()).toContain(`'"order.shiped"' is not assignable`)
})

test('the package has no dependency', () => {
  const manifest = JSON.parse(read('packages/client/package.json'))
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
})
