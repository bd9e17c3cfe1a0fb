import { type Source, type SyntaxNode, walk } from './source.ts'

/** Texts that are no sentences of the console: `file: text`. */
const EXCEPTIONS = [
  // Units, the same in all languages.
  /^(format|components\/charts\/chart-time)\.ts: /,
  // Names: of Posthorn, fonts, programming languages, keys on the keyboard, classes of HTTP status, and GraphQL types.
  /^components\/page\/page\.tsx: … · Posthorn$/,
  /^theme\.ts: .*(serif|monospace)/,
  /^webhooks\/secret\/verify-snippets\.tsx: (Python|Go|Ruby)$/,
  /^shell\/(go-to|shortcuts-dialog)\.tsx: (Ctrl K|Enter|Esc)$/,
  /^components\/charts\/status-classes\.ts: \dxx$/,
  /-quer(y|ies)\.ts: \p{Lu}\p{L}+$/u,
  /^api\/use-action\.ts: Success$/,
  // Code: for the reader to copy, and of HTTP, URLs, tokens and CSS.
  /^(onboarding\/publish-code|portal\/portal-snippets|components\/snippets\/graphql-request)\.ts: /,
  /^portal\/theme-fields\.tsx: ( px|Figtree, sans-serif|https:\/\/…\/.*)$/,
  /^webhooks\/secret\/with-header-prefix\.ts: verify/,
  /^(api-keys\/new-api-key-token\.tsx|deliveries\/attempt\/as-curl\.ts): curl /,
  /^api\/request-options\.ts: Bearer /,
  /: (https:\/\/|phk_…)$/,
  /: (1px solid |form \[aria-invalid|input:not\(|ph-alert-title$)/,
]

/** The English texts in a file that a reader may see: `shell/menu.tsx:12: Sign out`. */
export function literalsIn({ file, program, lineOf }: Source): string[] {
  const found: string[] = []
  walk(program, (node) => {
    if (isNeverShown(node)) return false
    const label = labelOf(node)
    const text = label ?? textOf(node)
    const isFound = text !== null && (label === null ? isEnglish(text) : hasWord(label))
    if (isFound && !EXCEPTIONS.some((exception) => exception.test(`${file}: ${text}`))) {
      found.push(`${file}:${lineOf(node)}: ${text.trim()}`)
    }
    return label === null
  })
  return found
}

/** Keys of the catalogue, types, comparisons, names of GraphQL types, and errors that only developers see. */
function isNeverShown({ type, callee, key, name, operator }: SyntaxNode): boolean {
  return (
    (type === 'CallExpression' && callee.name === 't') ||
    (type === 'NewExpression' && /Error$/.test(callee.name)) ||
    (type === 'BinaryExpression' && operator !== '+') ||
    (type === 'Property' && key.name === 'additionalTypenames') ||
    (type === 'JSXAttribute' && TECHNICAL.test(name.name)) ||
    /^(TS\w*Type|TSInterface\w*|ImportDeclaration)$/.test(type)
  )
}

const TECHNICAL = /^(aria-keyshortcuts|bd|className|i18nKey|key|ns)$/
const LABEL =
  /^(alt|aria-label|description|heading|label|noun|placeholder|prefix|suffix|title|tooltip)$/

/** The text of an attribute or a property that people read: one word is enough. */
function labelOf({ type, name, key, value }: SyntaxNode): string | null {
  const isLabel =
    (type === 'JSXAttribute' && LABEL.test(name.name)) ||
    (type === 'Property' && LABEL.test(key.name ?? key.value))
  return isLabel && typeof value?.value === 'string' ? value.value : null
}

function textOf({ type, value, quasis }: SyntaxNode): string | null {
  // One word between elements is a text.
  if (type === 'JSXText') return hasWord(value) ? `${value}. ` : null
  if (type === 'Literal') return typeof value === 'string' ? value : null
  if (type !== 'TemplateLiteral') return null
  return quasis.map((quasi: SyntaxNode) => quasi['value'].cooked).join('…')
}

const hasWord = (text: string) => /\p{L}{2}/u.test(text)

/** Several words, a word beside a value, or one word that begins like a sentence. */
function isEnglish(text: string): boolean {
  return (
    (/\s/.test(text) && /(^|\s)\p{L}{2,}[.,:;?!]?(\s|$)/u.test(text)) ||
    /^\p{Lu}\p{Ll}+([.:!?]|\s?…)?$/u.test(text)
  )
}
