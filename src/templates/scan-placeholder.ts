import { TemplateError } from './template-error.ts'

/**
 * Where the placeholder whose text begins at `start` ends: at the first `}}` outside quotes. Inside a string of JSON, quotes
 * may be escaped, as programs print them.
 */
export function scanPlaceholder(template: string, start: number, inString: boolean): number {
  let at = start
  while (at < template.length) {
    if (template.startsWith('}}', at)) return at
    const quote = quoteAt(template, at, inString)
    at = quote === null ? at + 1 : afterQuoted(template, at + quote.length, quote)
  }
  throw new TemplateError(
    start - 2,
    'has a placeholder without end',
    'Close it by }}, and each text in it by the quote that begins it.',
  )
}

/** The quote that begins a text here: `"`, `'`, or `\"` inside a string of JSON. */
export function quoteAt(text: string, at: number, inString: boolean): string | null {
  if (text[at] === '"' || text[at] === "'") return text[at] as string
  return inString && text.startsWith('\\"', at) ? '\\"' : null
}

/** Behind the quote that ends a text, or the end of `text` if there is none. */
export function afterQuoted(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at + quote.length
    // Between plain double quotes, a backslash escapes the next character.
    if (quote === '"' && text[at] === '\\') at++
  }
  return text.length
}
