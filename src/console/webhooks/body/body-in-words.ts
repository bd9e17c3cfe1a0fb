import { t } from '../../language/t.ts'
import { readSelection } from './selection.ts'

interface BodyChoice {
  readonly selection?: string | null | undefined
  readonly template?: string | null | undefined
}

/** What a body contains, in a few words. */
export function bodyInWords({ selection, template }: BodyChoice): string {
  if (template != null) return t('A template')
  if (selection == null) return t('The whole event')
  const chosen = readSelection(selection)
  if (chosen === null || chosen.fields.size > 0) return t('Fields chosen in GraphQL')
  return t('Fields of {count, plural, one {# event type} other {# event types}}', {
    count: chosen.members.size,
  })
}
