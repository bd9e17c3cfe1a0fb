import type { Sql } from '../db/client.ts'
import { type DigestedNotice, digestOf } from './digest.ts'
import { deleteOldSentMails, MAY_MAIL, type MailDeps, sendWithinLimits } from './mail-limit.ts'
import { mailLink } from './mail-link.ts'
import { stopAddress, unsubscribeUrl } from './unsubscribe.ts'

/** What comes within this time shares a mail. */
const GATHER = '20 seconds'

/** A mail counts the notices that it does not list. */
const MAX_LISTED = 50

/** Adds a job for each address whose notices have waited long enough. */
export async function startDigests(sql: Sql): Promise<void> {
  await sql.query(
    `select posthorn.enqueue('send_digest', json_build_object('addressId', posthorn.type_id('addr', a.id)),
       'digest:' || a.id, queue := 'posthorn:mail')
     from posthorn.notice_addresses as a
     where a.confirmed_at is not null and a.stopped_at is null and exists (
       select from posthorn.notice_mails as m
       where m.address_id = a.id and m.sent_at is null and m.created_at <= now() - $1::interval)
       and ${MAY_MAIL}`,
    [GATHER],
  )
}

/** Sends what waits for an address as one mail. Throws if the mail server does not take it now. */
export async function sendDigest(
  { pool, keyring, publicUrl, sendMail }: MailDeps,
  addressUuid: string,
): Promise<void> {
  const { rows } = await pool.query<WaitingNotice>(
    `select m.id, m.type, m.data, a.email, a.organization_id is null as "isOperator",
       a.portal_page_url as "portalPageUrl"
     from posthorn.notice_mails as m join posthorn.notice_addresses as a on a.id = m.address_id
     where m.address_id = $1 and m.sent_at is null and a.confirmed_at is not null and a.stopped_at is null
     order by m.id`,
    [addressUuid],
  )
  const [first] = rows
  if (!first) return
  const link = unsubscribeUrl(keyring, publicUrl, addressUuid)
  const notices = rows.map(({ type, data }) => ({
    type,
    data: { ...data, link: mailLink(data, { publicUrl, ...first }) },
  }))
  const digest = digestOf(notices, { maxListed: MAX_LISTED, unsubscribeUrl: link })
  const outcome = await sendWithinLimits(pool, addressUuid, { isConfirmation: false }, () =>
    sendMail({ to: first.email, unsubscribeUrl: link, ...digest }),
  )
  if (outcome === null) return
  if (outcome.kind === 'rejected') await stopAddress(pool, addressUuid, outcome.answer)
  await pool.query('update posthorn.notice_mails set sent_at = now() where id = any ($1)', [
    rows.map(({ id }) => id),
  ])
}

interface WaitingNotice extends DigestedNotice {
  readonly id: string
  readonly email: string
  readonly isOperator: boolean
  readonly portalPageUrl: string | null
}

/** Also of those that wait: nobody gets a mail of three days ago. */
export async function deleteOldMails(sql: Sql): Promise<number> {
  await deleteOldSentMails(sql)
  const { rowCount } = await sql.query(
    `delete from posthorn.notice_mails as m using posthorn.notice_addresses as a
     where a.id = m.address_id and (m.sent_at < now() - interval '1 day'
       or m.created_at < now() - interval '3 days' or a.stopped_at is not null and m.sent_at is null)`,
  )
  return rowCount ?? 0
}
