import path from 'node:path'
import type { Plugin } from 'vite'

const GENERATED = path.join(import.meta.dirname, 'src/__generated__')
const DOCUMENT = /\bgraphql`\s*(?:query|mutation|subscription|fragment)\s+(\w+)[^`]*`/g

/**
 * Replaces each document in the sources with what relay-compiler made of it. This is the task of babel-plugin-relay, which
 * Vite without Babel cannot use.
 */
export function relay(): Plugin {
  return {
    name: 'relay',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/[^/]+\.tsx?$/, code: 'graphql`' },
      handler(code, id) {
        const imports: string[] = []
        const replaced = code.replace(DOCUMENT, (text, name: string) => {
          const file = path.relative(path.dirname(id), path.join(GENERATED, `${name}.graphql.ts`))
          imports.push(`import document_${name} from './${file}';`)
          // Keeps the lines of the file, for stack traces.
          return `document_${name}${'\n'.repeat(text.split('\n').length - 1)}`
        })
        return { code: imports.join('') + replaced, map: null }
      },
    },
  }
}
