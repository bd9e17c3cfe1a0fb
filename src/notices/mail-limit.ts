import type { Database, Sql } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { SendMail } from '../outbound/mail.ts'

export interface MailDeps {
  readonly pool: Database['pool']
  readonly keyring: Keyring
  readonly publicUrl: string
  readonly sendMail: SendMail
}

/** Of all kinds, from all organizations together. */
const MAILS_PER_HOUR = 10

/** As many as an organization has addresses. Otherwise it could add and remove a list of strangers, one by one. */
const CONFIRMATIONS_PER_DAY = 20

/** Of the address `a`. A mailbox is counted once, however many tags its owner can add after a plus sign. */
const RECIPIENT = `sha256(convert_to(regexp_replace(lower(a.email), '[+][^@]*', ''), 'UTF8'))`

/** Whether another mail may go to the address `a`. */
export const MAY_MAIL = `(
  select count(*) from posthorn.sent_mails as s
  where s.recipient_hash = ${RECIPIENT} and s.sent_at > now() - interval '1 hour') < ${MAILS_PER_HOUR}`

/** Whether a mail with a link may go to the address `a`: one an hour, from all organizations together. */
export const MAY_ASK = `${MAY_MAIL} and not exists (
    select from posthorn.sent_mails as s
    where s.recipient_hash = ${RECIPIENT} and s.is_confirmation and s.sent_at > now() - interval '1 hour')
  and (
    select count(*) from posthorn.sent_mails as s
    where s.organization_id is not distinct from a.organization_id and s.is_confirmation
      and s.sent_at > now() - interval '1 day') < ${CONFIRMATIONS_PER_DAY}`

/**
 * Sends a mail to an address if the limits allow it. Returns null otherwise: the mail waits. A mail counts before it is sent,
 * so that processes together keep the limits, and not if the mail server did not take it.
 */
export async function sendWithinLimits<Outcome>(
  pool: Database['pool'],
  addressUuid: string,
  { isConfirmation }: { readonly isConfirmation: boolean },
  send: () => Promise<Outcome>,
): Promise<Outcome | null> {
  const mail = await count(pool, addressUuid, isConfirmation)
  if (mail === null) return null
  try {
    return await send()
  } catch (error) {
    await pool.query('delete from posthorn.sent_mails where id = $1', [mail])
    throw error
  }
}

/** The uuid of the counted mail, or null if the limits do not allow it. */
async function count(pool: Database['pool'], addressUuid: string, isConfirmation: boolean) {
  return await inTransaction(pool, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.sent_mails', 0))`)
    const { rows } = await tx.query<{ id: string }>(
      `insert into posthorn.sent_mails (organization_id, recipient_hash, is_confirmation)
       select a.organization_id, ${RECIPIENT}, $2 from posthorn.notice_addresses as a
       where a.id = $1 and ${isConfirmation ? MAY_ASK : MAY_MAIL} returning id`,
      [addressUuid, isConfirmation],
    )
    return rows[0]?.id ?? null
  })
}

/** No limit counts them. */
export async function deleteOldSentMails(sql: Sql): Promise<void> {
  await sql.query(`delete from posthorn.sent_mails where sent_at < now() - interval '1 day'`)
}
