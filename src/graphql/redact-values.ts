/**
 * Redacts the value in the error that the executor reports for a variable of the wrong type: the value may be a
 * credential, and clients log errors.
 */
export function redactVariableValue(message: string): string {
  const [, variable, place, reason] =
    /^Variable "(\$\w+)" got invalid value (?:.* at "([^"]+)"|.*?); (.*)$/s.exec(message) ?? []
  if (variable === undefined || reason === undefined) return message
  const where = place ? ` at "${place}"` : ''
  return `Variable "${variable}" got an invalid value${where}; ${redactValue(reason)}`
}

/** Redacts the value in the error that a validation rule reports for a value in the document. */
export function redactValue(reason: string): string {
  return reason
    .replace(/(cannot represent .*?value): .*$/s, '$1.')
    .replace(/, found: .*$/s, '.')
    .replace(/ Found: .*$/s, '')
    .replace(/^Value ".*" does not exist/s, 'The value does not exist')
}
