import type { Database, Sql } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'

/** Of all kinds, from all organizations together. */
const MAILS_PER_HOUR = 10

/** As many as an organization has addresses. Otherwise it could add and remove a list of strangers, one by one. */
const CONFIRMATIONS_PER_DAY = 20

/** Of the address `a`. A mailbox is counted once, however many tags its owner can add after a plus sign. */
const RECIPIENT = `sha256(convert_to(regexp_replace(lower(a.email), '[+][^@]*', ''), 'UTF8'))`

const SENT = `(
  select count(*)::int from posthorn.sent_mails as s
  where s.recipient_hash = ${RECIPIENT} and s.sent_at > now() - interval '1 hour')`

/** Whether a mail with a link may go to the address `a`: one an hour, from all organizations together. */
export const MAY_ASK = `${SENT} < ${MAILS_PER_HOUR} and not exists (
    select from posthorn.sent_mails as s
    where s.recipient_hash = ${RECIPIENT} and s.is_confirmation and s.sent_at > now() - interval '1 hour')
  and (
    select count(*) from posthorn.sent_mails as s
    where s.organization_id = a.organization_id and s.is_confirmation
      and s.sent_at > now() - interval '1 day') < ${CONFIRMATIONS_PER_DAY}`

/**
 * Sends a mail to an address if the limits allow it, and returns null otherwise. A mail counts before it is sent, so that
 * processes together keep the limits, and not if the mail server did not take it. `isLast`: no other is allowed for now.
 */
export async function sendWithinLimits<Outcome>(
  pool: Database['pool'],
  addressUuid: string,
  { isConfirmation }: { readonly isConfirmation: boolean },
  send: (isLast: boolean) => Promise<Outcome>,
): Promise<Outcome | null> {
  const mail = await count(pool, addressUuid, isConfirmation)
  if (!mail) return null
  try {
    return await send(mail.sent + 1 >= MAILS_PER_HOUR)
  } catch (error) {
    await pool.query('delete from posthorn.sent_mails where id = $1', [mail.id])
    throw error
  }
}

/** Counts a mail, if the limits allow it. Returns its uuid, and how many were sent in the hour before. */
async function count(pool: Database['pool'], addressUuid: string, isConfirmation: boolean) {
  return await inTransaction(pool, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.sent_mails', 0))`)
    const { rows } = await tx.query<{ id: string; sent: number }>(
      `with allowed as (
         select a.organization_id, ${RECIPIENT} as recipient_hash, ${SENT} as sent
         from posthorn.alert_addresses as a
         where a.id = $1 and ${isConfirmation ? MAY_ASK : `${SENT} < ${MAILS_PER_HOUR}`}
       ),
       counted as (
         insert into posthorn.sent_mails (organization_id, recipient_hash, is_confirmation)
         select organization_id, recipient_hash, $2 from allowed returning id
       )
       select counted.id, allowed.sent from counted, allowed`,
      [addressUuid, isConfirmation],
    )
    return rows[0]
  })
}

/** Deletes the counts that no limit counts, and the mails that the mail server has not taken for three days. */
export async function deleteOldMails(sql: Sql): Promise<number> {
  await sql.query(`delete from posthorn.sent_mails where sent_at < now() - interval '1 day'`)
  const { rowCount } = await sql.query(
    `delete from posthorn.alert_mails where created_at < now() - interval '3 days'`,
  )
  return rowCount ?? 0
}
