import type { Database, Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { oneLine } from '../lib/one-line.ts'
import type { SendMail } from '../outbound/mail.ts'
import { MAY_ASK, sendWithinLimits } from './mail-limit.ts'
import { CONFIRM_DAYS, mailLink } from './mail-link.ts'

interface MailDeps {
  readonly pool: Database['pool']
  readonly keyring: Keyring
  readonly publicUrl: string
  readonly sendMail: SendMail
}

const MAX_LINE = 400

const LAST_OF_HOUR =
  'An address gets at most ten mails an hour, and this is the tenth. What else happens in this hour is only in Posthorn.'

/**
 * Reports what expires soon, and the exhausted deliveries of the hours that are over, and adds a job for each mail with a link
 * to confirm that waits, and that the limits allow. Runs each minute.
 */
export async function sendLateAlerts(sql: Sql, sendsMails: boolean): Promise<void> {
  await sql.query('select posthorn.alert_expiring()')
  let webhooks: number
  do {
    const { rows } = await sql.query<{ webhooks: number }>(
      'select posthorn.alert_more_exhausted() as webhooks',
    )
    webhooks = rows[0]?.webhooks ?? 0
  } while (webhooks > 0)
  if (!sendsMails) return
  await sql.query(
    `select posthorn.enqueue('send_confirmation',
       json_build_object('addressId', posthorn.type_id('addr', a.id)),
       'confirm:' || a.id, queue := 'posthorn:mail')
     from posthorn.alert_addresses as a
     where a.confirmation_requested_at is not null and ${MAY_ASK}`,
  )
}

/**
 * Sends the mail with the link to confirm, if it still waits. Its reader may never have heard of Posthorn. Of what others
 * wrote it has only the name of the organization, without what programs that show mails make links of.
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
  const isSent = await send(deps, addressUuid, { isConfirmation: true }, () => ({
    to: address.email,
    subject: 'Confirm this address for alerts about webhooks',
    text: `Somebody asks Posthorn to send alerts about the webhooks of the organization "${organization}" to this address. To get them, open this link and press the button:

${mailLink(deps, 'confirm', addressUuid)}

The link works for ${CONFIRM_DAYS} days. If you do not want these alerts, do nothing: you get none.`,
  }))
  if (!isSent) return
  await deps.pool.query(
    'update posthorn.alert_addresses set confirmation_requested_at = null where id = $1',
    [addressUuid],
  )
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
    await send(deps, addressUuid, { isConfirmation: false }, (isLast) => ({
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
 * Returns false if the limits do not allow it. An address that the mail server rejects for good gets no more mails. Throws if
 * the server does not take the mail now.
 */
async function send(
  deps: MailDeps,
  addressUuid: string,
  options: { readonly isConfirmation: boolean },
  write: (isLast: boolean) => Letter,
): Promise<boolean> {
  const outcome = await sendWithinLimits(deps.pool, addressUuid, options, (isLast) =>
    deps.sendMail({
      ...write(isLast),
      unsubscribeUrl: mailLink(deps, 'unsubscribe', addressUuid),
    }),
  )
  if (outcome?.kind === 'rejected') {
    await deps.pool.query(
      `update posthorn.alert_addresses set confirmed_at = null, confirmation_requested_at = null, rejection = left($2, 500)
       where id = $1`,
      [addressUuid, outcome.answer.replaceAll('\0', '')],
    )
  }
  return outcome !== null
}
