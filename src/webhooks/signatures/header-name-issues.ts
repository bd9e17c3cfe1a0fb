import { type FieldIssue, fieldIssue } from '../../lib/errors.ts'
import { isReservedFromSignatures } from '../custom-headers.ts'
import type { SecondSignature, SignatureHeaders } from './signature-fields.ts'

interface HeadersOfWebhook {
  readonly signatureHeaders?: SignatureHeaders | null | undefined
  readonly secondSignature?: Pick<SecondSignature, 'header'> | null | undefined
  /** The names of the custom headers. */
  readonly customNames: readonly string[]
  /** Whether the caller gives custom headers alone, so that the fault is theirs. */
  readonly onlyCustomGiven: boolean
}

/** Issues for names that Posthorn or the connection sets, and for two headers of one name. */
export function signatureNameIssues(
  { signatureHeaders, secondSignature, customNames, onlyCustomGiven }: HeadersOfWebhook,
  headerPrefix: string,
): FieldIssue[] {
  const own = signatureHeaders ?? defaultNames(headerPrefix)
  const places = [
    ...Object.entries(signatureHeaders ?? {}).map(([field, name]) => ({
      path: ['signatureHeaders', field],
      name,
    })),
    ...(secondSignature
      ? [{ path: ['secondSignature', 'header'], name: secondSignature.header }]
      : []),
  ]
  const custom = new Map(customNames.map((name) => [name.toLowerCase(), name]))
  // Not yet taken by another signature. The default names are taken from the start.
  const taken = new Set(
    signatureHeaders ? [] : Object.values(own).map((name) => name.toLowerCase()),
  )
  return places.flatMap(({ path, name }) => {
    const lower = name.toLowerCase()
    const isTaken = taken.has(lower)
    taken.add(lower)
    if (lower === `${headerPrefix}test` || isReservedFromSignatures(lower)) {
      return [fieldIssue(path, 'reserved_header', RESERVED)]
    }
    if (isTaken) return [fieldIssue(path, 'duplicate_header', TAKEN)]
    const twin = custom.get(lower)
    if (twin === undefined) return []
    return onlyCustomGiven
      ? [fieldIssue(['headers', twin], 'duplicate_header', OF_SIGNATURE)]
      : [fieldIssue(path, 'duplicate_header', CUSTOM)]
  })
}

const RESERVED = 'is set by Posthorn or by the connection. Use another name.'
const TAKEN = 'is the name of another signature header, too. Use another name.'
const OF_SIGNATURE = 'is the name of a signature header of this webhook. Use another name.'
const CUSTOM = 'is the name of a custom header, too. Remove the custom header, or use another name.'

function defaultNames(prefix: string): SignatureHeaders {
  return { id: `${prefix}id`, timestamp: `${prefix}timestamp`, signature: `${prefix}signature` }
}
