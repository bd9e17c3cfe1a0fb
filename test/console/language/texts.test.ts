import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ESTree, parseSync } from 'vite'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../../packages/console/language/languages.ts'

const CONSOLE = path.resolve(import.meta.dirname, '../../../packages/console')

/** Pages and parts that a portal session never shows: they are English. */
const OF_CONSOLE =
  /^(api-keys|audit|consumers|alerts|organizations|overview|portal)\/|event-types\/event-type-form|events\/publish-code|session\/sign-in|generated\//

/** The functions of `language/t.ts` that take an English text. */
const TRANSLATE = new Set(['t', 'rich', 'key'])

/** Five languages have 1,500 lines of translations. */
const MOST_TEXTS = 298

const sources = globSync('**/*.{ts,tsx}', { cwd: CONSOLE, exclude: ['generated/**'] }).map(sourceOf)
const asked = new Set(sources.flatMap(textsOf))

test('the portal has as many texts as people can keep translated', () => {
  expect(asked.size).toBeGreaterThan(200)
  expect(asked.size).toBeLessThanOrEqual(MOST_TEXTS)
})

test('what only operators see is English', () => {
  const ofConsole = sources.filter(({ name }) => OF_CONSOLE.test(name))
  const translating = ofConsole.filter((source) => textsOf(source).length > 0)
  expect(translating.map(({ name }) => name)).toEqual([])
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('%s', (language) => {
  const texts: Record<string, string> = JSON.parse(
    readFileSync(path.join(CONSOLE, `locales/${language}.json`), 'utf8'),
  )

  test('has every text, and no other', () => {
    expect([...asked].filter((english) => !(english in texts))).toEqual([])
    expect(Object.keys(texts).filter((english) => !asked.has(english))).toEqual([])
  })

  test('has the same values in every text as the English', () => {
    const other = Object.entries(texts).filter(
      ([english, text]) => valuesOf(english).join() !== valuesOf(text).join(),
    )
    expect(other).toEqual([])
  })

  test('leaves no text empty, and keeps the spaces around it', () => {
    const around = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]].join('…')
    const other = Object.entries(texts).filter(
      ([english, text]) => text.trim() === '' || around(english) !== around(text),
    )
    expect(other).toEqual([])
  })
})

/** The names of the values of a text. */
const valuesOf = (text: string) => [...new Set(text.match(/\{\w*\}/g))].sort()

interface Source {
  /** Within `packages/console`. */
  readonly name: string
  readonly program: ESTree.Program
}

function sourceOf(name: string): Source {
  const file = path.join(CONSOLE, name)
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'))
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  return { name, program }
}

/** The English texts that a source asks for in the reader's language. */
function textsOf({ program }: Source): readonly string[] {
  const found: string[] = []
  walk(program, (node) => {
    const text = translated(node)
    if (text !== null) found.push(text)
  })
  return found
}

function translated(node: ESTree.Node): string | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return null
  if (!TRANSLATE.has(node.callee.name)) return null
  const [first] = node.arguments
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value
  if (first?.type !== 'TemplateLiteral' || first.expressions.length > 0) return null
  return first.quasis[0]?.value.cooked ?? null
}

/** Visits a node and all nodes in it. */
function walk(node: ESTree.Node, visit: (node: ESTree.Node) => void): void {
  visit(node)
  for (const value of Object.values(node)) {
    for (const each of [value].flat()) {
      if (typeof each === 'object' && each !== null && 'type' in each) walk(each, visit)
    }
  }
}
