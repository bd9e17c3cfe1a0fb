import { t } from '../../language/t.ts'
import { counted } from '../../lib/format.ts'
import { readSelection } from './selection.ts'

interface BodyChoice {
  readonly selection?: string | null | undefined
  readonly template?: string | null | undefined
}

/** What a body contains, in a few words. */
export function bodyInWords({ selection, template }: BodyChoice): string {
  if (template != null) return 'A template'
  if (selection == null) return t('The whole event')
  const chosen = readSelection(selection)
  if (chosen === null || chosen.fields.size > 0) return 'Fields chosen in GraphQL'
  return `Fields of ${counted(chosen.members.size, 'event type', 'event types')}`
}
