import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { createMailer } from '../../../src/outbound/mailer.ts'
import { createTestAuthority } from '../../outbound/certificates.ts'
import { useTestApp } from '../../support/app.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant } from '../../support/factories.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/until.ts'
import { type MailServer, startMailServer } from './support/mail-server.ts'

const authority = await createTestAuthority()
const keyAndCert = await authority.issue(['localhost', '127.0.0.1'])
// A test stops the server, and starts it again at this port.
let mailServer: MailServer = await startMailServer(keyAndCert, await freePort())
afterAll(() => mailServer[Symbol.asyncDispose]())

const posthorn = await useTestApp({
  trustedAuthorities: [authority.pem],
  environment: {
    POSTHORN_SMTP_URL: `smtp://localhost:${mailServer.port}`,
    POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>',
    POSTHORN_PUBLIC_URL: 'https://posthorn.example.com',
  },
})
beforeEach(async () => {
  const isOfMails = `task_identifier like 'posthorn:send%'`
  await untilJobs(0, 'locked_at is not null')
  await posthorn.database.pool.query(`
    select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where ${isOfMails}));
    delete from posthorn.alert_mails; delete from posthorn.sent_mails; delete from posthorn.reported_states;
    delete from posthorn.alert_addresses; delete from posthorn.webhooks;
    update posthorn.settings set operator_organization_id = null;
    update posthorn.organizations set name = 'Harvest Fair'`)
  mailServer.clear()
})

const SET = `mutation ($input: SetAlertAddressInput!) { setAlertAddress(input: $input) {
  ... on SetAlertAddressSuccess { alertAddress { id kinds } }
  ... on ValidationError { issues { code message } }
  ... on ConflictError { message }
} }`
const REMOVE = 'mutation ($id: ID!) { removeAlertAddress(id: $id) { __typename } }'

/** By default to the organization of the file. */
async function add(email: string, more: object = {}, token?: string) {
  const input = { email, kinds: ['WEBHOOK_ON_HOLD'], ...more }
  return (await posthorn.graphql(SET, { input }, token)).setAlertAddress
}

async function remove(email: string) {
  const { id } = (await addresses()).find((address: { email: string }) => address.email === email)
  return await posthorn.graphql(REMOVE, { id })
}

/** Adds an address, and returns the link that it is sent. */
async function addUnconfirmed(email: string): Promise<string> {
  await add(email)
  await until(() => links(email).length === 1, 'the link is sent')
  return links(email)[0] ?? ''
}

/** Adds an address, and presses the button behind the link that it is sent. */
async function addConfirmed(email: string, more: object = {}) {
  await add(email, more)
  await confirm(email)
}

async function confirm(email: string) {
  await until(() => links(email).length > 0, 'the link is sent')
  expect((await fetch(links(email).at(-1) ?? '', { method: 'POST' })).status).toBe(200)
}

async function addresses() {
  const { alertAddresses } = await posthorn.graphql(
    '{ alertAddresses { id email kinds confirmedAt rejection } }',
  )
  return alertAddresses
}

const LINK = /https:\/\/posthorn\.example\.com(\/alerts\/confirm\?token=)3D([\w-]+)/

const mailsTo = (email: string) =>
  mailServer.mails.filter((mail) => mail.toLowerCase().includes(`\nto: ${email.toLowerCase()}`))

/** The links to confirm an address that it was sent, as this machine reaches them. */
const links = (email: string) =>
  mailsTo(email).flatMap((mail) => {
    const [, path, token] = LINK.exec(mail) ?? []
    return path ? [`${posthorn.app.url}${path}${token}`] : []
  })

/** The mails that are about webhooks. */
const alerts = (email = '') => mailsTo(email).filter((mail) => !LINK.test(mail))

/** Puts webhooks of one dead host on hold, as the worker would. */
async function holdWebhooks(count: number, host = 'dead.example.com') {
  await posthorn.database.pool.query(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
     select $1, 'https://' || $3 || '/' || i, true, '{event_attendee.joined_event}' from generate_series(1, $2) as i`,
    [posthorn.tenant.organizationId, count, host],
  )
  await posthorn.database.pool.query(
    `select posthorn.alert(organization_id, id, 'posthorn.webhook.on_hold', '{"last_error": "503 <b>"}')
     from posthorn.webhooks order by id`,
  )
}

const age = (interval: string) =>
  posthorn.database.pool.query('update posthorn.sent_mails set sent_at = sent_at - $1::interval', [
    interval,
  ])

/** Time passes: the last mails were sent long ago, and the server is tried again. */
async function pass() {
  // A job that runs meanwhile would find the limits of before, and wait for another hour.
  await allJobsEnded()
  await age('2 hours')
  await passMinute()
}

/** The links that may go out are sent, and the mails that the server did not take are tried again. */
async function passMinute() {
  await posthorn.database.pool.query(
    `select graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) from graphile_worker.jobs
     where task_identifier like 'posthorn:send%' and locked_at is null`,
  )
}

/** Resolves when `count` jobs of mails fulfil a condition. */
async function untilJobs(count: number, condition: string) {
  const from = `graphile_worker.jobs where task_identifier like 'posthorn:send%' and ${condition}`
  const jobs = () => countRows(posthorn.database.pool, from)
  await until(async () => (await jobs()) === count, `${count} jobs of mails: ${condition}`)
}

/** What may go out is sent; what waits is later than now. */
const allJobsEnded = () => untilJobs(0, 'run_at <= now()')
const waiting = () => countRows(posthorn.database.pool, 'posthorn.alert_mails')

const unsubscribeUrl = (mail = alerts()[0] ?? '') => {
  const header = /^List-Unsubscribe:\s*<([^>]+)>/m.exec(mail.replaceAll('\r\n ', ''))
  return (header?.[1] ?? '').replace('https://posthorn.example.com', posthorn.app.url)
}

test('an address gets nothing but a link until its button is pressed', async () => {
  await addUnconfirmed('ada@example.com')
  expect(mailServer.mails[0]).toContain('Auto-Submitted: auto-generated')
  expect(mailServer.mails[0]).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const [link = ''] = links('ada@example.com')
  const page = await fetch(link)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<button>')])
  expect((await fetch(`${link.slice(0, -2)}AA`, { method: 'POST' })).status).toBe(404)
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
  await holdWebhooks(1)
  expect(await waiting()).toBe(0)

  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String) }])
  await holdWebhooks(1, 'other.example.com')
  await passMinute()
  await until(() => alerts('ada@example.com').length === 1, 'the alert is sent')
  expect(mailServer.mails).toHaveLength(2)
})

test('a link works for seven days, only for its address, and not for one that was removed', async () => {
  const link = await addUnconfirmed('ada@example.com')
  const unsubscribe = unsubscribeUrl(mailServer.mails[0])
  const confirmByUnsubscribing = unsubscribe.replace('/unsubscribe', '/confirm')
  expect((await fetch(confirmByUnsubscribing, { method: 'POST' })).status).toBe(404)
  const now = Date.now()
  try {
    vi.useFakeTimers({ toFake: ['Date'], now: now + 8 * 86_400_000 })
    for (const method of ['GET', 'POST']) expect((await fetch(link, { method })).status).toBe(404)
    vi.setSystemTime(now + 6 * 86_400_000)
    expect((await fetch(link)).status).toBe(200)
  } finally {
    vi.useRealTimers()
  }
  await add('grace@example.com')
  await remove('ada@example.com')
  expect((await fetch(link, { method: 'POST' })).status).toBe(404)
  expect(await addresses()).toMatchObject([{ email: 'grace@example.com', confirmedAt: null }])
})

test('an address is sent one link an hour, however often and by several organizations added, and the next one waits', async () => {
  await addUnconfirmed('ada@example.com')
  await remove('ada@example.com')
  await add('Ada+tag@example.com')
  const other = await createTenant(posthorn.database.prisma)
  await add('ada@example.com', {}, other.token)
  await passMinute()
  await allJobsEnded()
  expect(mailServer.mails).toHaveLength(1)

  await pass()
  await until(() => mailServer.mails.length === 2, 'one of the two links is sent')
  await allJobsEnded()
  await pass()
  await until(() => mailServer.mails.length === 3, 'the other link is sent')
  await confirm('ada+tag@example.com')
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String) }])
})

test('an organization asks at most 20 addresses a day, and another one can still ask', async () => {
  await posthorn.database.pool.query(
    `insert into posthorn.sent_mails (organization_id, recipient_hash, is_confirmation)
     select $1, sha256(i::text::bytea), true from generate_series(1, 19) as i`,
    [posthorn.tenant.organizationId],
  )
  await addUnconfirmed('stranger@example.com')
  await remove('stranger@example.com')
  await add('ada@example.com')
  const other = await createTenant(posthorn.database.prisma)
  await add('grace@example.com', {}, other.token)
  await until(() => links('grace@example.com').length === 1, 'the other organization asks')
  await pass()
  await allJobsEnded()
  expect(links('ada@example.com')).toEqual([])
  await age('1 day')
  await passMinute()
  await until(() => links('ada@example.com').length === 1, 'the link is sent a day later')
})

test('a person who unsubscribed gets no alerts, after changes by the organization too, until they use another link', async () => {
  await addConfirmed('ada@example.com')
  await holdWebhooks(1)
  await until(() => alerts().length === 1, 'the mail is sent')
  await fetch(unsubscribeUrl(), { method: 'POST' })
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
  await add('ada@example.com')
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
  await holdWebhooks(1, 'other.example.com')
  expect(await waiting()).toBe(0)

  await pass()
  await until(() => links('ada@example.com').length === 2, 'another link is sent')
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
  await confirm('ada@example.com')
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String) }])
  await holdWebhooks(1, 'third.example.com')
  await until(() => alerts().length === 2, 'the next alert is sent')

  await remove('ada@example.com')
  await add('ada@example.com')
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
})

test('an address gets at most ten mails an hour, links included, and the tenth says that there are no more', async () => {
  await addConfirmed('ada@example.com')
  await holdWebhooks(12)
  await until(async () => (await waiting()) === 0, 'the mails that may go out are sent')
  expect(mailServer.mails).toHaveLength(10)
  const isLast = alerts().map((mail) => mail.includes('and this is the tenth'))
  expect(isLast).toEqual([...new Array(8).fill(false), true])
  const other = await createTenant(posthorn.database.prisma)
  await add('ada+tag@example.com', {}, other.token)
  await addUnconfirmed('grace@example.com')
  await allJobsEnded()
  expect(mailServer.mails).toHaveLength(11)

  await pass()
  await holdWebhooks(1, 'late.example.com')
  await until(() => alerts().length === 10, 'the next hour has its own mails')
  expect(alerts().at(-1)).toContain('at late.example.com is on hold')
})

test('what others wrote is one visible line in a mail, and a link to confirm comes with no other link', async () => {
  const { pool } = posthorn.database
  await pool.query('update posthorn.organizations set name = $2 where id = $1', [
    posthorn.tenant.organizationId,
    'Bank\r\nBcc: x@evil.example https://evil.example/login \u202eevil\u2028',
  ])
  await addConfirmed('ada@example.com')
  const question = 'the organization "Bank Bcc x evil example https evil example login evil"'
  expect(mailServer.mails[0]).toContain(question)
  expect(mailServer.mails[0]).not.toContain('evil.example')

  await pool.query(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions, description)
     values ($1, 'https://a.example.com', true, '{event_attendee.joined_event}', $2)`,
    [posthorn.tenant.organizationId, `URGENT\n\n\u2029\u200bConfirm\u0085 ${'x'.repeat(300)}`],
  )
  await holdWebhooks(0)
  await until(() => alerts().length === 1, 'the alert is sent')
  const mail = (alerts()[0] ?? '').replaceAll('=3D', '=')
  expect(mail).toMatch(
    /\nBank Bcc: x@evil\.example https:\/\/evil\.example\/login evil: The webhook URGENT Confirm x{180,190} at a\.example\.com is on hold/,
  )
  expect(mail).toContain('\nLast error: 503 <b>')
})

test('a mail goes out once the server is there again', async () => {
  const { port } = mailServer
  await addConfirmed('ada@example.com')
  await mailServer[Symbol.asyncDispose]()
  await holdWebhooks(1)
  await pass()
  await untilJobs(1, 'last_error is not null')
  mailServer = await startMailServer(keyAndCert, port)
  await pass()
  await until(() => alerts().length === 1, 'the mail is sent')
})

test('an address that the server rejects for good is stopped, and one that it rejects for now is not', async () => {
  await addConfirmed('ada@example.com')
  mailServer.reject = { code: 451, text: 'Later' }
  await holdWebhooks(1)
  await pass()
  await untilJobs(1, `last_error like '%Later%'`)
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String), rejection: null }])

  mailServer.reject = { code: 550, text: 'No such user' }
  await pass()
  await until(async () => (await waiting()) === 0, 'the server rejects it for good')
  expect(await addresses()).toMatchObject([
    { confirmedAt: null, rejection: expect.stringContaining('No such user') },
  ])
  expect(alerts()).toEqual([])

  await add('grace@example.com')
  await until(async () => (await addresses())[1].rejection !== null, 'so is a link')
  mailServer.reject = null
  await add('grace@example.com')
  expect((await addresses())[1]).toMatchObject({ rejection: null })
  await pass()
  await until(() => links('grace@example.com').length === 1, 'the link is sent')
})

test('a mail is plain text over STARTTLS, whose link unsubscribes by POST only, and no other token does', async () => {
  await addConfirmed('ada@example.com')
  await holdWebhooks(1)
  await pass()
  await until(() => alerts().length === 1, 'the mail is sent')
  expect(mailServer.secure).toEqual([true, true])
  const [mail = ''] = alerts()
  expect(mail).toContain('Content-Type: text/plain')
  expect(mail).toMatch(/Subject: .*: The webhook wh_\w+ at dead\.example\.com is on hold/s)
  expect(mail).toContain('https://posthorn.example.com/console/webhooks/wh_')
  expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const url = unsubscribeUrl(mail)
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<button>')])
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String) }])
  const forged = await fetch(`${url.slice(0, -2)}AA`, { method: 'POST' })
  expect(forged.status).toBe(404)
  expect(await addresses()).toMatchObject([{ confirmedAt: expect.any(String) }])

  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  expect(await addresses()).toMatchObject([{ confirmedAt: null }])
  await posthorn.database.pool.query('delete from posthorn.reported_states')
  await holdWebhooks(1)
  expect(await waiting()).toBe(0)
})

test('a mail to the people of a customer leads to their portal page, and one to an operator into the organization', async () => {
  for (const portalPageUrl of [
    'http://app.example.com',
    'https://app.example.com/#a',
    'https://app.example.com/\n\nhttps://evil.example',
    'https://app.example.com/\u202ea',
  ]) {
    expect(await add('ada@example.com', { portalPageUrl }), portalPageUrl).toMatchObject({
      issues: [{ code: 'invalid_format' }],
    })
  }
  await addConfirmed('ada@example.com', { portalPageUrl: 'https://app.example.com/hooks' })
  const { prisma, pool } = posthorn.database
  const { organizationId } = await createTenant(prisma)
  await pool.query('update posthorn.settings set operator_organization_id = $1', [organizationId])
  await prisma.alertAddress.create({
    data: {
      organizationId,
      email: 'ops@example.com',
      kinds: ['posthorn.webhook.on_hold'],
      confirmedAt: new Date(),
      confirmationRequestedAt: null,
    },
  })
  await holdWebhooks(1)
  await pass()
  await until(() => alerts().length === 2, 'both mails are sent')
  const mailTo = (email: string) => alerts(email)[0]?.replaceAll('=3D', '=')
  const [webhook] = (await posthorn.graphql('{ webhooks { nodes { id } } }')).webhooks.nodes
  const toCustomer = mailTo('ada@example.com')
  expect(toCustomer).toContain(`https://app.example.com/hooks#posthorn=/webhooks/${webhook.id}`)
  expect(toCustomer).not.toContain('/console')
  expect(mailTo('ops@example.com')).toContain(
    `https://posthorn.example.com/console/as/${posthorn.tenant.publicOrganizationId}/webhooks/${webhook.id}`,
  )
})

test('only valid addresses of chosen kinds are added, each once', async () => {
  for (const invalid of ['not an address', 'a@example.com\r\nBcc: b@example.com']) {
    expect(await add(invalid)).toMatchObject({ issues: [{ code: 'invalid_format' }] })
  }
  expect(await add('ada@example.com', { kinds: [] })).toMatchObject({
    issues: [{ code: 'too_small' }],
  })
  const first = await add('ada@example.com', { kinds: ['WEBHOOK_BEHIND'] })
  expect(first).toMatchObject({ alertAddress: { id: expect.stringMatching(/^addr_/) } })
  expect(await add('Ada@example.com', { kinds: ['API_KEY_CREATED'] })).toEqual({
    alertAddress: { id: first.alertAddress.id, kinds: ['API_KEY_CREATED'] },
  })
  expect(await addresses()).toHaveLength(1)
  await holdWebhooks(1)
  expect(await waiting()).toBe(0)
})

test('a confirmed address that is set again as it is makes no entry in the audit log', async () => {
  const kinds = ['WEBHOOK_BEHIND', 'API_KEY_CREATED']
  await addConfirmed('ada@example.com', { kinds })
  const updates = `posthorn.audit_log where action = 'alert_address.updated'`
  const before = await countRows(posthorn.database.pool, updates)
  for (const same of [kinds, kinds.toReversed()]) await add('ada@example.com', { kinds: same })
  expect(await countRows(posthorn.database.pool, updates)).toBe(before)
  await add('ada@example.com', { kinds: ['WEBHOOK_BEHIND'] })
  expect(await countRows(posthorn.database.pool, updates)).toBe(before + 1)
})

test('a mailer uses TLS from the start', async () => {
  await using tlsServer = await startMailServer({ ...keyAndCert, secure: true })
  const text = { subject: 'A', text: 'A', unsubscribeUrl: 'https://a.test' }
  const send = (url: string, caPem = [authority.pem]) =>
    createMailer({ from: 'posthorn@example.com', url, caPem, timeoutMs: 10_000 })({
      to: 'ada@example.com',
      ...text,
    })
  const url = `smtps://localhost:${tlsServer.port}`
  expect(await send(url)).toEqual({ kind: 'sent' })
  expect(tlsServer.secure).toEqual([true])
  await expect(send(url, [])).rejects.toThrow(/certificate/)
})
