import { readFileSync } from 'node:fs'
import { parse, print, separateOperations } from 'graphql'

/** One operation of `documents/<file>.graphql`, with the fragments it uses. */
export function document(file: string, operation: string): string {
  const text = readFileSync(new URL(`../documents/${file}.graphql`, import.meta.url), 'utf8')
  const found = separateOperations(parse(text))[operation]
  if (!found) throw new Error(`${file}.graphql has no operation ${operation}.`)
  return print(found)
}
