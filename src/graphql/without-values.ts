/**
 * What the executor says of a variable that does not fit its type, without the value itself: it may be a credential, and
 * errors end up in the logs of clients.
 */
export function withoutValues(message: string): string {
  const [, variable, place, reason] =
    /^Variable "(\$\w+)" got invalid value (?:.* at "([^"]+)"|.*?); (.*)$/s.exec(message) ?? []
  if (variable === undefined || reason === undefined) return message
  const where = place ? ` at "${place}"` : ''
  return `Variable "${variable}" got an invalid value${where}; ${withoutValue(reason)}`
}

/** The same for what a rule says of a value that is written in the document. */
export function withoutValue(reason: string): string {
  return reason
    .replace(/(cannot represent .*?value): .*$/s, '$1.')
    .replace(/, found: .*$/s, '.')
    .replace(/ Found: .*$/s, '')
    .replace(/^Value ".*" does not exist/s, 'The value does not exist')
}
