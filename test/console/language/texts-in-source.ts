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

/** The texts that a source asks for while it is loaded, before the texts of the language are. */
export function earlyTextsOf(source: Source): readonly Found[] {
  const found: Found[] = []
  walk(source.program, (node) => {
    if (/Function|MethodDefinition/.test(node.type)) return false
    const text = translated(node)
    if (text !== null && calleeOf(node) !== 'key') found.push({ at: place(source, node), text })
    return true
  })
  return found
}

function translated(node: ESTree.Node): string | null {
  const name = calleeOf(node)
  if (name === null || !TRANSLATE.has(name) || node.type !== 'CallExpression') return null
  const [first] = node.arguments
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value
  if (first?.type !== 'TemplateLiteral' || first.expressions.length > 0) return null
  return first.quasis[0]?.value.cooked ?? null
}

function calleeOf(node: ESTree.Node): string | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return null
  return node.callee.name
}

function place({ name, text }: Source, { start }: { start: number }): string {
  return `${name}:${text.slice(0, start).split('\n').length}`
}

/** Visits a node and, unless `visit` returns false, all nodes in it. */
function walk(node: ESTree.Node, visit: (node: ESTree.Node) => unknown): void {
  if (visit(node) === false) return
  for (const value of Object.values(node)) {
    for (const each of [value].flat()) {
      if (typeof each === 'object' && each !== null && 'type' in each) walk(each, visit)
    }
  }
}
