import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ESTree, parseSync } from 'vite'
import { filesOf } from '../../support/files.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface SyntaxNode {
  readonly type: string
  readonly start: number
  // biome-ignore lint/suspicious/noExplicitAny: a node of any type
  readonly [property: string]: any
}

export interface Source {
  /** The path below `src/console`. */
  readonly file: string
  readonly program: SyntaxNode
  lineOf(node: SyntaxNode): number
}

/** The parsed sources of the console, without generated ones. */
export async function consoleSources(): Promise<Source[]> {
  const files = (await filesOf(ROOT, ['src/console'])).filter((file) => /\.tsx?$/.test(file))
  return await Promise.all(files.map(parsed))
}

async function parsed(file: string): Promise<Source> {
  return sourceOf(path.relative('src/console', file), await readFile(path.join(ROOT, file), 'utf8'))
}

export function sourceOf(file: string, text: string): Source {
  const { program } = parseSync(file, text) as { program: ESTree.Program }
  return {
    file,
    program: program as unknown as SyntaxNode,
    lineOf: ({ start }) => text.slice(0, start).split('\n').length,
  }
}

/** Visits a node and the nodes in it. If `visit` returns false, the nodes inside are left out. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => boolean): void {
  if (!visit(node)) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit)
    }
  }
}
