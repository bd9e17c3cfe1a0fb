import type { InputFieldRef } from '@pothos/core'
import { type GivenSettings, type Settings, typeOf } from '../lib/setting.ts'
import { builder, type SchemaTypes } from './builder.ts'
import type { InputFields } from './mutation.ts'

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
type InputsOf<S extends Settings> = {
  [Name in keyof S]: InputFieldRef<Types, GivenSettings<S>[Name]>
}

/** An input field for each setting. A new object requires those without a default. */
export function settingInputs<S extends Settings>(
  t: InputFields,
  settings: S,
  of: 'new' | 'changes',
): InputsOf<S> {
  const fields = Object.entries(settings).map(([name, setting]) => {
    const { description, required = false } = setting
    const type = typeOf(setting)
    return [name, t.field({ type, description, required: of === 'new' && required } as never)]
  })
  return Object.fromEntries(fields)
}

/** Adds a field to the type of a row for each setting with a column of its name. */
export function addSettingFields(
  type: 'ApiKey' | 'EventType' | 'Organization' | 'Webhook',
  settings: Settings,
): void {
  // Each has such columns.
  builder.prismaObjectFields(type as 'Organization', (t) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, setting]) => {
        const { rule, description, forSessions = true } = setting
        const type = typeOf(setting)
        const nullable = rule.safeParse(null).data === null
        // Without an access, the field is closed to sessions where the type declares that for each field.
        const access = forSessions ? { portal: 'open' } : !nullable && { semanticNonNull: true }
        return [name, t.expose(name as never, { type, description, nullable, ...access } as never)]
      }),
    ),
  )
}
