interface Header {
  readonly name: string
  readonly value: string
}

/** The names of the headers of a signed delivery. */
export interface SignatureNames {
  /** `wh-`, or what the operator chose (POSTHORN_HEADER_PREFIX). */
  readonly prefix: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

/** Finds the prefix of a delivery's headers. Null if they are not those of a signed delivery. */
export function signatureNames(headers: readonly Header[]): SignatureNames | null {
  const names = new Set(headers.map(({ name }) => name.toLowerCase()))
  for (const name of names) {
    const [, prefix] = /^(.*)signature$/.exec(name) ?? []
    if (prefix === undefined || !names.has(`${prefix}id`) || !names.has(`${prefix}timestamp`))
      continue
    return { prefix, id: `${prefix}id`, timestamp: `${prefix}timestamp`, signature: name }
  }
  return null
}
