import { readdirSync, readFileSync } from 'node:fs'
import { parse, print, separateOperations } from 'graphql'

export const EXAMPLES = new URL('../../../docs/examples/graphql/', import.meta.url)

/** One operation of `docs/examples/graphql/<file>.graphql`, with the fragments it uses. */
export function document(file: string, operation: string): string {
  const text = readFileSync(new URL(`${file}.graphql`, EXAMPLES), 'utf8')
  const found = separateOperations(parse(text))[operation]
  if (!found) throw new Error(`${file}.graphql has no operation ${operation}.`)
  return print(found)
}

const FILES = readdirSync(EXAMPLES).map((file) => readFileSync(new URL(file, EXAMPLES), 'utf8'))

/** The operation of this name in any file. */
export function operationNamed(operation: string): string {
  const [found] = FILES.flatMap((text) => separateOperations(parse(text))[operation] ?? [])
  if (!found) throw new Error(`No example has the operation ${operation}.`)
  return print(found)
}
