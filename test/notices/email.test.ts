import { createServer } from 'node:net'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMailer } from '../../src/outbound/mailer.ts'
import { createTestAuthority } from '../outbound/certificates.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { type MailServer, startMailServer } from './support/mail-server.ts'
import { runSendNotices } from './support/notices.ts'

let authority: Awaited<ReturnType<typeof createTestAuthority>>
let keyAndCert: Awaited<ReturnType<typeof authority.issue>>
let mailServer: MailServer
let posthorn: TestApp

beforeAll(async () => {
  authority = await createTestAuthority()
  keyAndCert = await authority.issue(['localhost', '127.0.0.1'])
})
beforeEach(async () => {
  // A test stops the server, and starts it again at this port.
  mailServer = await startMailServer(keyAndCert, await freePort())
  posthorn = await startTestApp({
    trustedAuthorities: [authority.pem],
    environment: {
      POSTHORN_SMTP_URL: `smtp://localhost:${mailServer.port}`,
      POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>',
      POSTHORN_PUBLIC_URL: 'https://posthorn.example.com',
    },
  })
})
afterEach(async () => {
  await posthorn[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
})

async function add(email: string, kinds = ['WEBHOOK_ON_HOLD'], portalPageUrl?: string) {
  const { addNoticeAddress } = await posthorn.graphql(
    `mutation ($input: AddNoticeAddressInput!) { addNoticeAddress(input: $input) {
      ... on AddNoticeAddressSuccess { noticeAddress { id } }
      ... on ValidationError { issues { code message } }
      ... on ConflictError { message }
    } }`,
    { input: { email, kinds, portalPageUrl } },
  )
  return addNoticeAddress
}

async function addresses() {
  const { noticeAddresses } = await posthorn.graphql(
    '{ noticeAddresses { email kinds stopReason rejection } }',
  )
  return noticeAddresses
}

/** Puts webhooks of one dead host on hold, as the worker would. */
async function holdWebhooks(count: number) {
  await posthorn.database.pool.query(
    `with created as (
       insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
       select $1, 'https://dead.example.com/' || i, true, '{event_attendee.joined_event}' from generate_series(1, $2) as i
       returning id
     )
     select count(*) from created`,
    [posthorn.tenant.organizationId, count],
  )
  await posthorn.database.pool.query(
    `select posthorn.notice(organization_id, id, 'posthorn.webhook.on_hold', '{"last_error": "503 <b>"}')
     from posthorn.webhooks order by id`,
  )
}

/** Time passes: what waits has waited, and the last mails were sent long ago. */
async function pass() {
  await posthorn.database.pool.query(
    `update posthorn.notice_mails set created_at = created_at - interval '2 hours', sent_at = sent_at - interval '2 hours'`,
  )
  await runSendNotices(posthorn.database.pool)
}

const waiting = async () =>
  (await posthorn.database.pool.query('select from posthorn.notice_mails where sent_at is null'))
    .rows.length

const unsubscribeUrl = (mail = mailServer.mails[0] ?? '') => {
  const header = /^List-Unsubscribe:\s*<([^>]+)>/m.exec(mail.replaceAll('\r\n ', ''))
  return (header?.[1] ?? '').replace('https://posthorn.example.com', posthorn.app.url)
}

test('a thousand webhooks of one dead host make one mail, over STARTTLS, and the next one an hour later', async () => {
  await add('ada@example.com')
  await holdWebhooks(1_000)
  expect(await waiting()).toBe(1_000)
  await pass()
  await until(async () => (await waiting()) === 0, 'the mail is sent')
  expect(mailServer.mails).toHaveLength(1)
  expect(mailServer.secure).toEqual([true])
  const [mail = ''] = mailServer.mails
  expect(mail).toContain('Subject: 1000 webhooks at dead.example.com: webhook.on_hold')
  expect(mail).toContain('And 950 more.')
  expect(mail).toContain('https://posthorn.example.com/console/webhooks/wh_')
  expect(mail).toContain('503 &lt;b&gt;')
  expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')

  await posthorn.database.pool.query('delete from posthorn.reported_states')
  await holdWebhooks(1)
  await posthorn.database.pool.query(
    `update posthorn.notice_mails set created_at = now() - interval '1 minute'`,
  )
  await runSendNotices(posthorn.database.pool)
  await until(async () => {
    const { rows } = await posthorn.database.pool.query(
      `select from graphile_worker.jobs where task_identifier like 'posthorn:send%'`,
    )
    return rows.length === 0
  }, 'the run is over')
  expect(mailServer.mails).toHaveLength(1)
  await pass()
  await until(() => mailServer.mails.length === 2, 'the next mail is sent')
})

test('a mail goes out once the server is there again', async () => {
  const { port } = mailServer
  await mailServer[Symbol.asyncDispose]()
  await add('ada@example.com')
  await holdWebhooks(1)
  await pass()
  await until(async () => {
    const { rows } = await posthorn.database.pool.query(
      `select from graphile_worker.jobs where task_identifier = 'posthorn:send_digest' and last_error is not null`,
    )
    return rows.length === 1
  }, 'the server is not there')
  mailServer = await startMailServer(keyAndCert, port)
  await pass()
  await until(() => mailServer.mails.length === 1, 'the mail is sent')
})

test('an address that the server rejects for good is stopped, and one that it rejects for now is not', async () => {
  await add('ada@example.com')
  mailServer.reject = { code: 451, text: 'Later' }
  await holdWebhooks(1)
  await pass()
  await until(async () => {
    const { rows } = await posthorn.database.pool.query(
      `select from graphile_worker.jobs where task_identifier = 'posthorn:send_digest' and last_error like '%Later%'`,
    )
    return rows.length === 1
  }, 'the server rejects it for now')
  expect(await addresses()).toMatchObject([{ stopReason: null }])

  mailServer.reject = { code: 550, text: 'No such user' }
  await pass()
  await until(async () => (await waiting()) === 0, 'the server rejects it for good')
  expect(await addresses()).toMatchObject([
    { stopReason: 'REJECTED', rejection: expect.stringContaining('No such user') },
  ])
  expect(mailServer.mails).toEqual([])
})

test('the link in a mail unsubscribes by POST only, and no other token does', async () => {
  await add('ada@example.com')
  await holdWebhooks(1)
  await pass()
  await until(() => mailServer.mails.length === 1, 'the mail is sent')
  const url = unsubscribeUrl()
  const page = await fetch(url)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<button>')])
  expect(await addresses()).toMatchObject([{ stopReason: null }])
  const forged = await fetch(`${url.slice(0, -2)}AA`, { method: 'POST' })
  expect(forged.status).toBe(404)
  expect(await addresses()).toMatchObject([{ stopReason: null }])

  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  expect(await addresses()).toMatchObject([{ stopReason: 'UNSUBSCRIBED' }])
  await posthorn.database.pool.query('delete from posthorn.reported_states')
  await holdWebhooks(1)
  expect(await waiting()).toBe(0)
})

test('a mail to the people of a customer leads to their portal page, and one to an operator into the organization', async () => {
  expect(await add('ada@example.com', undefined, 'http://app.example.com')).toMatchObject({
    issues: [{ code: 'invalid_format' }],
  })
  expect(await add('ada@example.com', undefined, 'https://app.example.com/#a')).toMatchObject({
    issues: [{ code: 'invalid_format' }],
  })
  await add('ada@example.com', undefined, 'https://app.example.com/hooks')
  await posthorn.database.prisma.noticeAddress.create({
    data: { organizationId: null, email: 'ops@example.com', kinds: ['posthorn.webhook.on_hold'] },
  })
  await holdWebhooks(1)
  await pass()
  await until(() => mailServer.mails.length === 2, 'both mails are sent')
  const mailTo = (email: string) =>
    mailServer.mails.find((mail) => mail.includes(`To: ${email}`))?.replaceAll('=3D', '=')
  const [webhook] = (await posthorn.graphql('{ webhooks { nodes { id } } }')).webhooks.nodes
  const toCustomer = mailTo('ada@example.com')
  expect(toCustomer).toContain(`https://app.example.com/hooks#posthorn=/webhooks/${webhook.id}`)
  expect(toCustomer).not.toContain('/console')
  expect(mailTo('ops@example.com')).toContain(
    `https://posthorn.example.com/console/as/${posthorn.tenant.publicOrganizationId}/webhooks/${webhook.id}`,
  )
})

test('only valid addresses of chosen kinds are added, each once', async () => {
  expect(await add('not an address')).toMatchObject({ issues: [{ code: 'invalid_format' }] })
  expect(await add('a@example.com\r\nBcc: b@example.com')).toMatchObject({
    issues: [{ code: 'invalid_format' }],
  })
  expect(await add('ada@example.com', [])).toMatchObject({ issues: [{ code: 'required' }] })
  expect(await add('ada@example.com', ['API_KEY_CREATED'])).toMatchObject({
    noticeAddress: { id: expect.stringMatching(/^addr_/) },
  })
  expect(await add('Ada@example.com')).toMatchObject({
    message: expect.stringContaining('already'),
  })
  await holdWebhooks(1)
  expect(await waiting()).toBe(0)
})

test('a mailer uses TLS from the start, and gives up on a server that says nothing', async () => {
  await using tlsServer = await startMailServer({ ...keyAndCert, secure: true })
  const options = { from: 'posthorn@example.com', caPem: [authority.pem], timeoutMs: 300 }
  const mail = {
    to: 'ada@example.com',
    subject: 'A',
    text: 'A',
    html: 'A',
    unsubscribeUrl: 'https://a.test',
  }
  const send = createMailer({
    ...options,
    url: `smtps://localhost:${tlsServer.port}`,
    timeoutMs: 10_000,
  })
  expect(await send(mail)).toEqual({ kind: 'sent' })
  expect(tlsServer.secure).toEqual([true])
  const untrusted = createMailer({
    ...options,
    url: `smtps://localhost:${tlsServer.port}`,
    caPem: [],
    timeoutMs: 10_000,
  })
  await expect(untrusted(mail)).rejects.toThrow(/certificate/)

  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await until(() => silent.listening, 'it listens')
  const { port } = silent.address() as { port: number }
  await expect(createMailer({ ...options, url: `smtp://127.0.0.1:${port}` })(mail)).rejects.toThrow(
    /[Tt]imed? ?out|[Gg]reeting/,
  )
  silent.close()
})
