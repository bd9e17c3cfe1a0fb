import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import { actForOrganization } from '../db/act-for.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import { findWebhook } from './find-webhooks.ts'
import type { ActingDeps } from './signing-secret.ts'

type Headers = Readonly<Record<string, string>>

/** Encrypts the custom headers of a webhook, which can contain credentials. Returns null for no headers. */
export function encryptHeaders(
  keyring: Keyring,
  headers: Headers | null,
  webhookUuid: string,
): Uint8Array<ArrayBuffer> | null {
  if (!headers || Object.keys(headers).length === 0) return null
  return keyring.encrypt(Buffer.from(JSON.stringify(headers)), webhookUuid)
}

/**
 * The custom headers of a webhook. If no key decrypts them, they are one placeholder, which no update accepts, so that one
 * webhook cannot fail a list.
 */
export function readHeaders(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Headers {
  try {
    return ciphertext ? JSON.parse(keyring.decrypt(ciphertext, webhookUuid).toString()) : {}
  } catch {
    return { [UNREADABLE]: UNREADABLE }
  }
}

/** No header can have this name. */
const UNREADABLE = '(unreadable)'

export function areReadable(headers: Headers): boolean {
  return !(UNREADABLE in headers)
}

/** Replaces the value of a header, which can be a credential. */
export const MASK = '•••'

/**
 * The custom headers of a webhook with their values, which can be credentials. The audit log has an entry before the
 * caller has the values. Throws `not_found`.
 */
export async function revealHeaders(
  { prisma, keyring, actor }: ActingDeps,
  organizationId: string,
  webhookId: string,
): Promise<Headers> {
  return await actForOrganization(prisma, organizationId, async (tx) => {
    const { id, headersCiphertext } = await findWebhook(tx, organizationId, webhookId)
    const headers = readHeaders(keyring, headersCiphertext, id)
    await writeAuditEntry(tx, actor, {
      action: 'custom_headers.revealed',
      organizationId,
      subjectId: webhookId,
      after: { headers: Object.keys(headers) },
    })
    return headers
  })
}

/** A header of the new set of a webhook. Without a value, the header keeps the stored one. */
export interface HeaderChange {
  readonly name: string
  readonly value?: string | null | undefined
}

/** The new set of headers. Throws `invalid` for names that are repeated, or that have no value to keep. */
export function applyHeaderChanges(changes: readonly HeaderChange[], stored: Headers): Headers {
  // Names of headers are case-insensitive.
  const values = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  const headers = new Map<string, string>()
  const issues: FieldIssue[] = []
  for (const [index, { name, value }] of changes.entries()) {
    if (headers.has(name)) {
      const rule = `repeats ${JSON.stringify(name)}.`
      issues.push(fieldIssue(['headers', index, 'name'], 'duplicate_header', rule))
    }
    const kept = value ?? values.get(name.toLowerCase())
    if (kept === undefined) issues.push(noValueToKeep(name, Object.keys(stored)))
    headers.set(name, kept ?? '')
  }
  if (issues.length > 0) throw invalid(issues)
  return Object.fromEntries(headers)
}

function noValueToKeep(name: string, stored: readonly string[]): FieldIssue {
  const given = name.slice(0, 128)
  const rule = `is needed: the webhook has no header ${JSON.stringify(given)} whose value to keep.`
  return fieldIssue(['headers', name, 'value'], 'unknown_header', rule + didYouMean(given, stored))
}

/**
 * Throws `invalid` if an update of the URL would send a stored value to another origin, with an issue for each header
 * whose value is needed again. Without `changes`, all stored headers stay.
 */
export function requireValuesForOrigin(
  url: string,
  previousUrl: string,
  changes: readonly HeaderChange[] | undefined,
  stored: Headers,
): void {
  const { origin } = new URL(url)
  if (origin === new URL(previousUrl).origin) return
  const kept = changes?.flatMap(({ name, value }) => (value == null ? name : []))
  const rule = `is needed again, because the URL moves to another origin, ${origin}. Give the value, remove the header, or use a key with the scope secrets:read.`
  const issues = (kept ?? Object.keys(stored)).map((name) =>
    fieldIssue(['headers', name, 'value'], 'header_value_required', rule),
  )
  if (issues.length > 0) throw invalid(issues)
}
