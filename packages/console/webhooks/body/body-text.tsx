import { CodeBlock } from '../../components/json/code-block.tsx'
import { t } from '../../language/t.ts'

interface BodyChoice {
  readonly selection?: string | null | undefined
  readonly template?: string | null | undefined
}

/** What a body contains, in a few words. */
export function bodyInWords({ selection, template }: BodyChoice): string {
  if (template != null) return 'A template'
  return selection == null ? t('The whole event') : 'Chosen fields'
}

/** The selection or the template of a body, as written. */
export function BodyText({ selection, template }: BodyChoice) {
  const text = selection ?? template
  if (text == null) return null
  const label = selection == null ? 'Template' : 'Selection in GraphQL'
  return <CodeBlock code={text} label={label} maxHeight={240} />
}
