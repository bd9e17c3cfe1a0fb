import { InvalidJson, parseJson } from '../../lib/parse-json.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { unusable } from './catalogue-error.ts'

/** The text of JSON. Throws for what is not JSON, or has numbers that JavaScript would change. */
export function textOf(bytes: Uint8Array, file: string): string {
  const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined) throw unusable([`${file} is not UTF-8. Convert it.`])
  try {
    parseJson(text)
    return text
  } catch (error) {
    const { message } = error as Error
    const problem =
      error instanceof InvalidJson
        ? message
        : `is not JSON: ${message}. Convert a document in YAML to JSON.`
    throw unusable([`${file} ${problem}`])
  }
}
