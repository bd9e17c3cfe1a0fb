import { COMMAND_LINE } from '../access/actor.ts'
import { type Entry, writeAuditEntries } from '../audit/write-audit-entries.ts'
import type { Database } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { Contents, WebhookRecord } from './contents.ts'
import { readContents } from './read-contents.ts'

/** The configuration at one moment. The audit log has an entry for the secret and for the headers of each webhook. */
export async function exportContents(pool: Database['pool'], keyring: Keyring): Promise<Contents> {
  return await inTransaction(pool, async (sql) => {
    await sql.query('set transaction isolation level repeatable read')
    const contents = await readContents(sql, keyring)
    await writeAuditEntries(sql, COMMAND_LINE, contents.webhooks.flatMap(revealed))
    return contents
  })
}

/** The audit entries of reading a webhook's secret and, if it has any, the values of its headers. */
function revealed({ id, organizationId, headers }: WebhookRecord): Entry[] {
  const subject = { organizationId, subjectId: id }
  const entries: Entry[] = [{ action: 'signing_secret.revealed', ...subject }]
  const names = Object.keys(headers ?? {})
  if (names.length > 0) {
    entries.push({ action: 'custom_headers.revealed', ...subject, after: { headers: names } })
  }
  return entries
}
