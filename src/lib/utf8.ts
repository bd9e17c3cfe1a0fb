const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of bytes in UTF-8, without a byte order mark. Null: the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** What decoders put in place of bytes that are not UTF-8. No program writes it on purpose. */
export const REPLACEMENT_CHARACTER = '\ufffd'
