import { beforeEach, describe, expect, test } from 'vitest'
import { lastChangeOf } from '../support/webhook-traces.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

/** A webhook whose URL moves to another origin: its headers may be credentials of the old one. */
const api = await useApi()
const all = useTenant(api)
let id: string

beforeEach(async () => {
  const headers = { Authorization: 'Bearer sk_live_1', 'X-Team': 'tickets' }
  id = (await all.addWebhook({ headers })).id
})

const OTHER = 'https://other.example/hook'

/** Of a session of the webhook alone, which may change it but not read its headers. */
async function restrictedToken(): Promise<string> {
  const scopes = ['webhooks:read', 'webhooks:write', 'deliveries:write']
  const input = { webhookId: id, scopes }
  return (await all.run('frontend-sessions', 'CreateFrontendSession', { input })).token
}

async function update(input: object, token?: string) {
  const used = token ?? (await restrictedToken())
  const { data } = await api.call(used, document('webhooks', 'UpdateWebhook'), { id, input })
  return data.updateWebhook
}

async function stored() {
  const { headers } = await all.run('webhooks', 'RevealHeaders', { id })
  const { url } = await all.run('webhooks', 'Webhook', { id })
  const values = headers.map(({ name, value }: Record<string, string>) => [name, value])
  return { url, headers: Object.fromEntries(values) }
}

const lastChange = () => lastChangeOf(api.database, id)

describe('without secrets:read', () => {
  test.each([
    ['another host', OTHER],
    ['a subdomain', 'https://a.example.com/hook'],
  ])('%s needs every value again, and nothing changes', async (_, url) => {
    const before = await stored()
    const { __typename, issues } = await update({ url, description: 'Moved' })
    expect(__typename).toBe('ValidationError')
    expect(issues).toEqual([
      {
        path: ['headers', 'Authorization', 'value'],
        code: 'header_value_required',
        message: `headers.Authorization.value is needed again, because the URL moves to another origin, ${new URL(url).origin}. Give the value, remove the header, or use a key with the scope secrets:read.`,
      },
      expect.objectContaining({ path: ['headers', 'X-Team', 'value'] }),
    ])
    expect(await stored()).toEqual(before)
    expect(await lastChange()).toBeUndefined()
  })

  test.each([
    ['kept', [{ name: 'Authorization' }], 'Authorization'],
    [
      'kept beside a given one',
      [{ name: 'X-Team', value: 'x' }, { name: 'authorization' }],
      'authorization',
    ],
  ])('a header that is %s is named', async (_, headers, name) => {
    const { issues } = await update({ url: OTHER, headers })
    expect(issues.map(({ path }: { path: string[] }) => path)).toEqual([['headers', name, 'value']])
  })

  test('values that are given go along, and the others are gone', async () => {
    const headers = [{ name: 'Authorization', value: 'Bearer sk_live_2' }]
    expect((await update({ url: OTHER, headers })).__typename).toBe('UpdateWebhookSuccess')
    const given = { Authorization: 'Bearer sk_live_2' }
    expect(await stored()).toEqual({ url: OTHER, headers: given })
    const elsewhere = { url: 'https://elsewhere.example/', headers: null }
    expect((await update(elsewhere)).__typename).toBe('UpdateWebhookSuccess')
    expect(await stored()).toEqual({ url: elsewhere.url, headers: {} })
  })

  test('another path of the same origin keeps the headers', async () => {
    const { headers } = await stored()
    const url = 'https://EXAMPLE.com:443/other'
    const kept = await update({ url, headers: [{ name: 'Authorization' }] })
    expect(kept.__typename).toBe('UpdateWebhookSuccess')
    expect(await stored()).toEqual({ url, headers: { Authorization: headers['Authorization'] } })
  })

  test('headers that no encryption key decrypts do not go along either', async () => {
    await api.database.pool.query(
      `update posthorn.webhooks set headers_ciphertext = '\\x00' where organization_id = $1`,
      [all.organizationId],
    )
    const { issues } = await update({ url: OTHER })
    expect(issues).toMatchObject([
      { path: ['headers', '(unreadable)', 'value'], code: 'header_value_required' },
    ])
    expect((await update({ url: OTHER, headers: [] })).__typename).toBe('UpdateWebhookSuccess')
  })
})

test('with secrets:read the headers go along', async () => {
  const { headers } = await stored()
  expect((await update({ url: OTHER }, all.token)).__typename).toBe('UpdateWebhookSuccess')
  expect(await stored()).toEqual({ url: OTHER, headers })
  expect(await lastChange()).toEqual({ url: OTHER })
})
