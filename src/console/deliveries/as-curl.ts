/** Stands for the value of a custom header, which is not kept with the attempt. */
const MASK = '•••'

interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Null: past its retention, or not to be seen. */
  readonly body?: string | null
}

/** The request of an attempt as a command for a shell of Unix, and what to know before it is run. */
export function asCurl({ method, url, headers, body }: SentRequest): {
  readonly command: string
  readonly notes: readonly string[]
} {
  const masked = headers.filter(({ value }) => value === MASK).map(({ name }) => name)
  const lines = [
    `curl --request ${method} --globoff --path-as-is ${quote(url)}`,
    ...headers.map(({ name, value }) => {
      const shown = value === MASK ? placeholder(name) : value
      // A header without a value ends in a semicolon; after a colon, curl leaves it out.
      return `--header ${quote(shown === '' ? `${name};` : `${name}: ${shown}`)}`
    }),
    ...(body == null ? [] : [`--data-raw ${quote(body)}`]),
  ]
  const notes = [
    'The signature is that of the attempt. Receivers that check its age refuse it when it is older than 5 minutes.',
  ]
  if (masked.length > 0) {
    notes.push(
      `The values of custom headers are not kept with an attempt, as they may be credentials. Put yours in place of ${masked.map(placeholder).join(', ')}.`,
    )
  }
  if (body == null) {
    notes.push('The body is left out: it is past its retention, or you may not read events.')
  }
  return { command: lines.join(' \\\n  '), notes }
}

const placeholder = (name: string) => `YOUR_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** One word of a POSIX shell, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
