import { SYSTEM } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import type { Db, Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { oneLine } from '../lib/one-line.ts'
import type { Mail } from '../outbound/mail.ts'
import { enqueue } from '../queue/jobs.ts'
import { escapeHtml } from './digest.ts'
import { MAY_ASK, type MailDeps, sendWithinLimits } from './mail-limit.ts'
import { stopAddress, unsubscribeUrl } from './unsubscribe.ts'

export const CONFIRM_PATH = '/notices/confirm'

/** How long a link works. */
const DAYS = 7

const PURPOSE = 'confirm address'

/** Lets a mail with a link go to the address, which gets nothing else until the link is used. */
export async function requestConfirmation(tx: Db, addressUuid: string): Promise<void> {
  await tx.noticeAddress.update({
    where: { id: addressUuid },
    data: { confirmationRequestedAt: new Date() },
  })
  const addressId = publicId('noticeAddress', addressUuid)
  const job = { key: `confirm:${addressUuid}`, queue: 'posthorn:mail' }
  await enqueue(tx, 'send_confirmation', { addressId }, job)
}

/** Adds a job for each mail with a link that waits, and that the limits allow. */
export async function startConfirmations(sql: Sql): Promise<void> {
  await sql.query(
    `select posthorn.enqueue('send_confirmation',
       json_build_object('addressId', posthorn.type_id('addr', a.id)),
       'confirm:' || a.id, queue := 'posthorn:mail')
     from posthorn.notice_addresses as a
     where a.confirmation_requested_at is not null and ${MAY_ASK}`,
  )
}

/** Sends the mail with the link, if it still waits. Throws if the mail server does not take it now. */
export async function sendConfirmation(
  { pool, keyring, publicUrl, sendMail }: MailDeps,
  addressUuid: string,
): Promise<void> {
  const { rows } = await pool.query<{ email: string; organization: string | null }>(
    `select a.email, o.name as organization
     from posthorn.notice_addresses as a left join posthorn.organizations as o on o.id = a.organization_id
     where a.id = $1 and a.confirmation_requested_at is not null`,
    [addressUuid],
  )
  const [address] = rows
  if (!address) return
  const mail = confirmationMail(address.organization, {
    confirmUrl: confirmUrl(keyring, publicUrl, addressUuid),
    unsubscribeUrl: unsubscribeUrl(keyring, publicUrl, addressUuid),
  })
  const outcome = await sendWithinLimits(pool, addressUuid, { isConfirmation: true }, () =>
    sendMail({ to: address.email, ...mail }),
  )
  if (outcome === null) return
  if (outcome.kind === 'rejected') return await stopAddress(pool, addressUuid, outcome.answer)
  await pool.query(
    'update posthorn.notice_addresses set confirmation_requested_at = null where id = $1',
    [addressUuid],
  )
}

/** The uuid of the address, or null if Posthorn did not make the token or the link has expired. */
export function readConfirmToken(keyring: Keyring, token: string): string | null {
  try {
    const [addressUuid = '', expiresAt] = keyring
      .decrypt(Buffer.from(token, 'base64url'), PURPOSE)
      .toString()
      .split(' ')
    return Number(expiresAt) > Date.now() ? addressUuid : null
  } catch {
    return null
  }
}

/** The person behind the address wants its mails, also after they unsubscribed. False: the address was removed. */
export async function confirmAddress(prisma: PrismaClient, addressUuid: string): Promise<boolean> {
  return await prisma.$transaction(async (tx) => {
    const [confirmed] = await tx.noticeAddress.updateManyAndReturn({
      where: { id: addressUuid },
      data: {
        confirmedAt: new Date(),
        confirmationRequestedAt: null,
        stoppedAt: null,
        stopReason: null,
        rejection: null,
      },
    })
    if (!confirmed) return false
    await writeAuditEntry(tx, SYSTEM, {
      action: 'notice_address.confirmed',
      organizationId: confirmed.organizationId,
      subjectId: publicId('noticeAddress', confirmed.id),
    })
    return true
  })
}

function confirmUrl(keyring: Keyring, publicUrl: string, addressUuid: string): string {
  const expiresAt = Date.now() + DAYS * 86_400_000
  const token = Buffer.from(keyring.encrypt(Buffer.from(`${addressUuid} ${expiresAt}`), PURPOSE))
  return `${publicUrl}${CONFIRM_PATH}?token=${token.toString('base64url')}`
}

interface ConfirmationLinks {
  readonly confirmUrl: string
  readonly unsubscribeUrl: string
}

/** To a person who may never have heard of Posthorn. Of what others wrote it has only the name of the organization. */
function confirmationMail(
  organization: string | null,
  { confirmUrl, unsubscribeUrl }: ConfirmationLinks,
): Omit<Mail, 'to'> {
  const about =
    organization === null ? 'all organizations' : `the organization "${withoutLinks(organization)}"`
  const question = `Somebody asks Posthorn to send notices about the webhooks of ${about} to this address.`
  const rest = `The link works for ${DAYS} days. If you do not want these notices, do nothing: you get none.`
  return {
    unsubscribeUrl,
    subject: 'Confirm this address for notices about webhooks',
    text: `${question} To get them, open this link and press the button:\n\n${confirmUrl}\n\n${rest}`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif"><p>${escapeHtml(question)}</p>
<p><a href="${escapeHtml(confirmUrl)}">Confirm this address</a></p>
<p>${rest}</p></body></html>`,
  }
}

/** The letters, digits and blanks of a name: programs that show mails make links of names such as `evil.example/login`. */
function withoutLinks(name: string): string {
  return oneLine(name.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '), 60)
}
