/** Several values in one query parameter: `state=RETRYING,EXHAUSTED`. No value of a filter contains a comma. */
export function readList(param: string | null): readonly string[] {
  return [...new Set(param?.split(',').filter((value) => value !== ''))]
}

/** Null for none, which removes the parameter. */
export function writeList(values: readonly string[]): string | null {
  return values.length > 0 ? values.join(',') : null
}

/** The values that are among the options, in the order of the address. */
export function readOptions<Option extends string>(
  param: string | null,
  options: readonly { readonly value: Option }[],
): Option[] {
  return readList(param).flatMap(
    (value) => options.find((option) => option.value === value)?.value ?? [],
  )
}

/** Options for a select, from their labels by value. */
export function optionsOf<Value extends string>(labels: Readonly<Record<Value, string>>) {
  return Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label }))
}
