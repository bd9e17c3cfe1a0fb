import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import { InvalidJson, parseJson } from '../lib/parse-json.ts'

/** A schema and an example as input has them: as values, or as the texts of their authors. */
interface GivenPayloads {
  readonly schema?: unknown
  readonly schemaText?: string | null | undefined
  readonly example?: unknown
  readonly exampleText?: string | null | undefined
}

interface ReadPayloads {
  readonly schema?: Record<string, unknown> | null
  readonly schemaText?: string
  readonly example?: unknown
  readonly exampleText?: string
}

/** Parses the texts. A missing field stays missing. Throws `invalid`. */
export function readPayloads(given: GivenPayloads): ReadPayloads {
  const issues: FieldIssue[] = []
  const read = { ...readOne('schema', given), ...readOne('example', given) }
  if (issues.length > 0) throw invalid(issues)
  return read

  function readOne(field: 'schema' | 'example', from: GivenPayloads): ReadPayloads {
    const value = from[field]
    const textField = `${field}Text` as const
    const text = from[textField]
    if (text === undefined || text === null) return value === undefined ? {} : { [field]: value }
    if (value !== undefined && value !== null) {
      const detail = `${field} and ${textField} are both given. Send one of them.`
      issues.push({ path: [textField], code: 'ambiguous', detail })
      return {}
    }
    try {
      // Bounds of int64 are numbers that a double does not keep; the text of the schema does.
      const inexact = field === 'schema'
      return { [field]: parseJson(text, { inexact }), [textField]: text.trim() }
    } catch (error) {
      const { message } = error as Error
      const rule = error instanceof InvalidJson ? message : `is not JSON: ${message}.`
      issues.push(fieldIssue([textField], 'malformed', rule))
      return {}
    }
  }
}
