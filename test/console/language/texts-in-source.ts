import type { ESTree } from 'vite'
import type { Source } from './sources.ts'

interface Found {
  /** `webhooks/list/webhooks-page.tsx:41` */
  readonly at: string
  readonly text: string
}

/** The functions of `language/t.ts` that take an English text. */
const TRANSLATE = new Set(['t', 'rich', 'key'])

/** The English texts that a source asks for in the reader's language. */
export function textsOf(source: Source): readonly Found[] {
  const found: Found[] = []
  walk(source.program, (node) => {
    const text = translated(node)
    if (text !== null) found.push({ at: place(source, node), text })
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

function place({ name, text }: Source, { start }: { start: number }): string {
  return `${name}:${text.slice(0, start).split('\n').length}`
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
