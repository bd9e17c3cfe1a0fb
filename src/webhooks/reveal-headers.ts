import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import { DomainError } from '../lib/errors.ts'
import { readHeaders } from './encrypted-headers.ts'
import { findWebhook } from './find-webhook.ts'
import type { ActingDeps } from './signing-secret.ts'

/**
 * The custom headers of a webhook with their values, which can be credentials. The audit log has an entry before the
 * caller has the values. Throws `not_found`, or `conflict` if no key decrypts the headers.
 */
export async function revealHeaders(
  { prisma, keyring, actor }: ActingDeps,
  organizationId: string,
  webhookId: string,
): Promise<Readonly<Record<string, string>>> {
  return await actForOrganization(prisma, organizationId, async (tx) => {
    const { id, headersCiphertext } = await findWebhook(tx, organizationId, webhookId)
    const headers = readHeaders(keyring, headersCiphertext, id)
    if (headers === null) {
      throw new DomainError(
        'conflict',
        'No encryption key decrypts the headers of this webhook. Set the headers again, or add the key that encrypted them.',
      )
    }
    await writeAuditEntry(tx, actor, {
      action: 'custom_headers.revealed',
      organizationId,
      subjectId: webhookId,
      after: { headers: Object.keys(headers) },
    })
    return headers
  })
}
