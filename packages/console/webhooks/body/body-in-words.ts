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
