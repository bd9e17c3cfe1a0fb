import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The pages of the documentation, by their paths in the repository. */
export const PAGES: readonly string[] = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  .map((page) => page.replaceAll('\\', '/'))
  .toSorted()

/** What npm shows of the packages, and the pages of the examples. */
export const READMES: readonly string[] = globSync(
  ['packages/*/README.md', 'examples/**/README.md'],
  {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  },
)
  .map((page) => page.replaceAll('\\', '/'))
  .toSorted()

export const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** A block of code on a page. */
export interface Block {
  readonly page: string
  /** The line of the page on which the text begins, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** The file that a reader pastes the block into: the line above ends with "in `receiver.ts`:". Null for all others. */
  readonly file: string | null
}

export function blocksOf(page: string): Block[] {
  const text = read(page)
  return [...text.matchAll(FENCED)].map(({ index, groups = {} }) => {
    const { indent = '', language = '', code = '' } = groups
    const before = text.slice(0, index)
    return {
      ...{ page, language },
      line: before.split('\n').length + 1,
      text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      file: /\b[Ii]n `([\w./-]+)`:$/.exec(before.trimEnd())?.[1] ?? null,
    }
  })
}

const FENCED = /^(?<indent> *)```(?<language>\S*)\n(?<code>.*?)^ *```$/gms

/** What people read on a page, line by line: without code, and without the targets of links. */
export function proseOf(page: string): string {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')
  return read(page)
    .replaceAll(FENCED, blank)
    .replaceAll(/``.*?``|`[^`]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .replaceAll(/<[^>\n]*>/g, blank)
    .replaceAll(/https?:\/\/\S+/g, blank)
}

/** A page without its blocks of code. */
export const withoutBlocks = (text: string) => text.replaceAll(FENCED, '')
