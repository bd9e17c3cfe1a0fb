import { builder } from './builder.ts'

/** An enum of the domain, each value with its description. The graph has the values in capitals: `EVENT_TYPES`. */
export function enumOf<Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
) {
  const entries = Object.entries<string>(values).map(([value, text]) => [
    value.toUpperCase().replaceAll(/\W/g, '_'),
    { value, description: text },
  ])
  return builder.enumType(name, {
    description,
    values: Object.fromEntries(entries) as Record<string, { value: Value; description: string }>,
  })
}
