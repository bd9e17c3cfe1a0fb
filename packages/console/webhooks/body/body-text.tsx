import { CodeBlock } from '../../components/json/code-block.tsx'

interface BodyTextProps {
  readonly selection?: string | null | undefined
  readonly template?: string | null | undefined
}

/** The selection or the template of a body, as written. */
export function BodyText({ selection, template }: BodyTextProps) {
  const text = selection ?? template
  if (text == null) return null
  const label = selection == null ? 'Template' : 'Selection in GraphQL'
  return <CodeBlock code={text} label={label} maxHeight={240} />
}
