import { CodeBlock } from '../../components/json/code-block.tsx'
import { t } from '../../language/t.ts'

interface BodyTextProps {
  readonly selection?: string | null | undefined
  readonly template?: string | null | undefined
}

/** The selection or the template of a body, as written. */
export function BodyText({ selection, template }: BodyTextProps) {
  const text = selection ?? template
  if (text == null) return null
  const label = selection == null ? t('Template') : t('Selection in GraphQL')
  return <CodeBlock code={text} label={label} maxHeight={240} />
}
