import { type Source, type SyntaxNode, walk } from './source.ts'

/** The keys that a file uses, with `*` for the part of a key that is known at run time only. */
export function usedKeysIn({ program }: Source): string[] {
  const used: string[] = []
  walk(program, (node) => {
    if (node.type === 'CallExpression' && node['callee'].name === 't') {
      used.push(...keysIn(node['arguments'][0], 'common'))
    }
    if (node.type === 'JSXOpeningElement' && node['name'].name === 'Trans') {
      used.push(...keysIn(attribute(node, 'i18nKey'), attribute(node, 'ns')['value']))
    }
    return true
  })
  return used
}

function attribute(element: SyntaxNode, name: string): SyntaxNode {
  return element['attributes'].find((one: SyntaxNode) => one['name'].name === name)['value']
}

/** The keys that an expression may have as its value. */
function keysIn(expression: SyntaxNode, file: string): string[] {
  const keys: string[] = []
  walk(expression, ({ type, value, quasis }) => {
    const key =
      type === 'Literal'
        ? value
        : type === 'TemplateLiteral' &&
          quasis.map((quasi: SyntaxNode) => quasi['value'].cooked).join('*')
    if (typeof key === 'string') keys.push(key.includes(':') ? key : `${file}:${key}`)
    return type !== 'BinaryExpression' && type !== 'TemplateLiteral'
  })
  return keys
}
