import type { Sql } from '../db/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { SendMail } from '../outbound/mail.ts'
import { type DigestedNotice, digestOf } from './digest.ts'
import { mailLink } from './mail-link.ts'
import { stopAddress, unsubscribeUrl } from './unsubscribe.ts'

/** What came about a host within this time goes out in its first mail, and the rest in one mail an hour. */
const GATHER = '20 seconds'
const INTERVAL = '1 hour'

/** A mail counts the notices that it does not list. */
const MAX_LISTED = 50

/** Adds a job for each address and host whose notices have waited long enough. */
export async function startDigests(sql: Sql): Promise<void> {
  await sql.query(
    `select posthorn.enqueue('send_digest',
       json_build_object('addressId', posthorn.type_id('addr', waiting.address_id), 'host', waiting.host),
       'digest:' || waiting.address_id || ':' || waiting.host, queue := 'posthorn:mail')
     from (
       select m.address_id, m.host from posthorn.notice_mails as m
       where m.sent_at is null group by 1, 2 having min(m.created_at) <= now() - $1::interval
     ) as waiting
     where not exists (
       select from posthorn.notice_mails as sent where sent.address_id = waiting.address_id
         and sent.host = waiting.host and sent.sent_at > now() - $2::interval)`,
    [GATHER, INTERVAL],
  )
}

export interface DigestDeps {
  readonly sql: Sql
  readonly keyring: Keyring
  readonly publicUrl: string
  readonly sendMail: SendMail
}

/** Sends what waits for an address about a host, as one mail. Throws if the mail server does not take it now. */
export async function sendDigest(
  { sql, keyring, publicUrl, sendMail }: DigestDeps,
  addressUuid: string,
  host: string,
): Promise<void> {
  const { rows } = await sql.query<WaitingNotice>(
    `select m.id, m.type, m.data, a.email, a.organization_id is null as "isOperator",
       a.portal_page_url as "portalPageUrl"
     from posthorn.notice_mails as m join posthorn.notice_addresses as a on a.id = m.address_id
     where m.address_id = $1 and m.host = $2 and m.sent_at is null and a.stopped_at is null order by m.id`,
    [addressUuid, host],
  )
  const [first] = rows
  if (!first) return
  const link = unsubscribeUrl(keyring, publicUrl, addressUuid)
  const notices = rows.map(({ type, data }) => ({
    type,
    data: { ...data, link: mailLink(data, { publicUrl, ...first }) },
  }))
  const digest = digestOf(host, notices, { maxListed: MAX_LISTED, unsubscribeUrl: link })
  const outcome = await sendMail({ to: first.email, unsubscribeUrl: link, ...digest })
  if (outcome.kind === 'rejected') await stopAddress(sql, addressUuid, outcome.answer)
  await sql.query('update posthorn.notice_mails set sent_at = now() where id = any ($1)', [
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
  const { rowCount } = await sql.query(
    `delete from posthorn.notice_mails as m using posthorn.notice_addresses as a
     where a.id = m.address_id and (m.sent_at < now() - interval '1 day'
       or m.created_at < now() - interval '3 days' or a.stopped_at is not null and m.sent_at is null)`,
  )
  return rowCount ?? 0
}
