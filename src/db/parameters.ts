/** Adds a value to the parameters of a statement and returns its placeholder. */
export type AddValue = (value: unknown) => string

/** The parameters of a statement whose conditions vary. */
export function createParameters(): { readonly values: unknown[]; readonly add: AddValue } {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}
