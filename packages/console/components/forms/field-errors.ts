import type { Rejection } from '../../api/use-action.ts'

/** Error messages by field. Errors of no known field are under `form`. */
export type FieldErrors<Field extends string> = Partial<Record<Field | 'form', string>>

export function fieldErrorsOf<Field extends string>(
  { message, issues }: Rejection,
  fields: readonly Field[],
): FieldErrors<Field> {
  if (issues.length === 0) return { form: message } as FieldErrors<Field>
  const errors: Partial<Record<string, string>> = {}
  for (const issue of issues) {
    const field = fields.find((name) => name === issue.path[0]) ?? 'form'
    errors[field] = [errors[field], issue.message].filter(Boolean).join(' ')
  }
  return errors as FieldErrors<Field>
}
