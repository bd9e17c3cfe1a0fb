import type { Keyring } from '../../auth/encryption/keyring.ts'
import type { Database, Sql } from '../../db/client.ts'
import { publicId } from '../../db/ids.ts'
import { inTransaction } from '../../db/transaction.ts'
import { oneLine } from '../../lib/excerpt.ts'
import type { SendMail } from '../../outbound/mail.ts'
import { CONFIRM_DAYS, mailLink } from './mail-link.ts'

interface MailDeps {
  readonly pool: Database['pool']
  readonly keyring: Keyring
  readonly publicUrl: string
  readonly sendMail: SendMail
}

const MAX_LINE = 400

/** Of all kinds, from all organizations together. */
const MAILS_PER_HOUR = 10

/** As many as an organization has addresses. Otherwise it could add and remove a list of strangers, one by one. */
const CONFIRMATIONS_PER_DAY = 20

const LAST_OF_HOUR =
  'An address gets at most ten mails an hour, and this is the tenth. What else happens in this hour is only in Posthorn.'

/** Reports what expires soon, and the exhausted deliveries of the hours that are over. Runs each minute. */
export async function sendLateAlerts(sql: Sql): Promise<void> {
  await sql.query('select posthorn.alert_expiring()')
  let webhooks: number
  do {
    const { rows } = await sql.query<{ webhooks: number }>(
      'select posthorn.alert_more_exhausted() as webhooks',
    )
    webhooks = rows[0]?.webhooks ?? 0
  } while (webhooks > 0)
}

/**
 * Sends the mail with the link to confirm, if it still waits; in an hour, if the limits do not allow it now. Its reader may
 * never have heard of Posthorn. Of what others wrote it has only the name of the organization, without what programs that
 * show mails make links of.
 */
export async function sendConfirmation(deps: MailDeps, addressUuid: string): Promise<void> {
  const { rows } = await deps.pool.query<{ email: string; organization: string }>(
    `select a.email, o.name as organization
     from posthorn.alert_addresses as a join posthorn.organizations as o on o.id = a.organization_id
     where a.id = $1 and a.confirmation_requested_at is not null`,
    [addressUuid],
  )
  const [address] = rows
  if (!address) return
  const organization = oneLine(address.organization.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '), 60)
  const isSent = await send(deps, addressUuid, true, () => ({
    to: address.email,
    subject: 'Confirm this address for alerts about webhooks',
    text: `Somebody asks Posthorn to send alerts about the webhooks of the organization "${organization}" to this address. To get them, open this link and press the button:

${mailLink(deps, 'confirm', addressUuid)}

The link works for ${CONFIRM_DAYS} days. If you do not want these alerts, do nothing: you get none.`,
  }))
  const next = isSent
    ? 'update posthorn.alert_addresses set confirmation_requested_at = null where id = $1'
    : `select posthorn.enqueue('send_confirmation', json_build_object('addressId', posthorn.type_id('addr', $1)),
         'confirm:' || $1::uuid, now() + interval '1 hour', 'posthorn:mail')`
  await deps.pool.query(next, [addressUuid])
}

/** Sends an alert, or none if the address has got its mails of this hour. */
export async function sendAlert(deps: MailDeps, mailUuid: string): Promise<void> {
  const { rows } = await deps.pool.query<AlertMail>(
    `select m.address_id as "addressUuid", m.data, a.email, a.organization_id as owner, a.portal_page_url as "portalPageUrl"
     from posthorn.alert_mails as m join posthorn.alert_addresses as a on a.id = m.address_id
     where m.id = $1 and a.confirmed_at is not null`,
    [mailUuid],
  )
  const [mail] = rows
  if (mail) {
    const { addressUuid, data } = mail
    const line = (text: string) => oneLine(text, MAX_LINE)
    const summary = line(`${oneLine(data.organization.name, 100)}: ${data.summary}`)
    await send(deps, addressUuid, false, (isLast) => ({
      to: mail.email,
      subject: summary,
      text: [
        summary,
        ...(data.last_error ? [`Last error: ${line(data.last_error)}`] : []),
        pageOf(mail, deps.publicUrl),
        ...(isLast ? [LAST_OF_HOUR] : []),
        `--\nYour address was added in Posthorn for these alerts. To get none, open: ${mailLink(deps, 'unsubscribe', addressUuid)}`,
      ].join('\n\n'),
    }))
  }
  await deps.pool.query('delete from posthorn.alert_mails where id = $1', [mailUuid])
}

interface AlertMail {
  readonly addressUuid: string
  readonly email: string
  /** The uuid of the organization of the address. */
  readonly owner: string
  /** The page of the host application that shows the portal. Null: the console. */
  readonly portalPageUrl: string | null
  readonly data: {
    readonly organization: { readonly id: string; readonly name: string }
    readonly webhook?: { readonly id: string }
    readonly summary: string
    readonly last_error?: string | null
  }
}

/**
 * Where an alert in a mail leads. The operator's organization acts for the organization of the alert. The page of the host
 * application signs its user in, so no link carries a session; `<posthorn-portal>` opens at the path in the fragment.
 */
function pageOf({ owner, portalPageUrl, data }: AlertMail, publicUrl: string): string {
  const { organization, webhook } = data
  const path = webhook ? `/webhooks/${webhook.id}` : '/api-keys'
  if (organization.id !== publicId('organization', owner)) {
    return `${publicUrl}/console/as/${organization.id}${path}`
  }
  if (portalPageUrl === null) return `${publicUrl}/console${path}`
  return webhook ? `${portalPageUrl}#posthorn=${path}` : portalPageUrl
}

type Letter = Omit<Parameters<SendMail>[0], 'unsubscribeUrl'>

/**
 * Returns false if the limits do not allow it. A mail counts before it is sent, so that processes together keep the limits,
 * and not if the mail server did not take it: then it throws. An address that the mail server rejects for good gets no more
 * mails.
 */
async function send(
  deps: MailDeps,
  addressUuid: string,
  isConfirmation: boolean,
  write: (isLast: boolean) => Letter,
): Promise<boolean> {
  const { pool, sendMail } = deps
  const counted = await count(pool, addressUuid, isConfirmation)
  if (!counted) return false
  const letter = write(counted.sent + 1 >= MAILS_PER_HOUR)
  const unsubscribeUrl = mailLink(deps, 'unsubscribe', addressUuid)
  const outcome = await sendMail({ ...letter, unsubscribeUrl }).catch(async (error) => {
    await pool.query('delete from posthorn.sent_mails where id = $1', [counted.id])
    throw error
  })
  if (outcome.kind === 'rejected') {
    await pool.query(
      `update posthorn.alert_addresses set confirmed_at = null, confirmation_requested_at = null, rejection = left($2, 500)
       where id = $1`,
      [addressUuid, outcome.answer.replaceAll('\0', '')],
    )
  }
  return true
}

/** Counts a mail, if the limits allow it. Returns its uuid, and how many were sent in the hour before. */
async function count(pool: Database['pool'], addressUuid: string, isConfirmation: boolean) {
  return await inTransaction(pool, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.sent_mails', 0))`)
    const { rows } = await tx.query<{ id: string; sent: number }>(
      `with address as (
         -- A mailbox is counted once, however many tags its owner can add after a plus sign.
         select organization_id, sha256(convert_to(regexp_replace(lower(email), '[+][^@]*', ''), 'UTF8')) as recipient_hash
         from posthorn.alert_addresses where id = $1
       ),
       recent as (
         select count(*)::int as sent, count(*) filter (where s.is_confirmation) as confirmations
         from address join posthorn.sent_mails as s using (recipient_hash) where s.sent_at > now() - interval '1 hour'
       ),
       asked as (
         select count(*) as confirmations from address join posthorn.sent_mails as s using (organization_id)
         where s.is_confirmation and s.sent_at > now() - interval '1 day'
       ),
       counted as (
         insert into posthorn.sent_mails (organization_id, recipient_hash, is_confirmation)
         select organization_id, recipient_hash, $2 from address, recent, asked
         where recent.sent < ${MAILS_PER_HOUR}
           and (not $2 or recent.confirmations = 0 and asked.confirmations < ${CONFIRMATIONS_PER_DAY})
         returning id
       )
       select counted.id, recent.sent from counted, recent`,
      [addressUuid, isConfirmation],
    )
    return rows[0]
  })
}
