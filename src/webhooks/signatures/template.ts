/** A template as literal texts and placeholders, in their order. */
export type Template = readonly (string | { readonly placeholder: string })[]

const PART = /\{([^{}]*)\}|[^{}]+|[{}]/g

/** Parses a template such as `{timestamp}.{body}`. A brace that belongs to no placeholder is a placeholder without name. */
export function parseTemplate(text: string): Template {
  return [...text.matchAll(PART)].map(([part, placeholder]) => {
    if (placeholder !== undefined) return { placeholder }
    return part === '{' || part === '}' ? { placeholder: '' } : part
  })
}

/** What is wrong with a template, as the end of a sentence. Null: nothing. */
export function templateProblem(
  text: string,
  placeholders: readonly string[],
  required: string,
): string | null {
  const known = placeholders.map((name) => `{${name}}`).join(', ')
  const used = parseTemplate(text).flatMap((part) =>
    typeof part === 'string' ? [] : [part.placeholder],
  )
  const unknown = used.find((name) => !placeholders.includes(name))
  if (unknown !== undefined) {
    const found = unknown === '' ? 'a brace without one' : `{${unknown.slice(0, 32)}}`
    return `must have no placeholders but ${known}, not ${found}`
  }
  return used.includes(required) ? null : `must contain {${required}}`
}
