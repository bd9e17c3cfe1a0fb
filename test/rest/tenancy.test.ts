import { describe, expect, test } from 'vitest'
import { createTenant } from '../support/factories.ts'
import { json, problem, UNKNOWN_ID, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()
const otherTenant = await createTenant(api.database.prisma)

const OPERATIONS: [method: string, path: string, body?: object][] = [
  ['GET', '/webhooks/{id}'],
  ['PUT', '/webhooks/{id}', { enabled: true }],
  ['PUT', '/webhooks/{id}', { enabeld: true }],
  ['PUT', '/webhooks/{id}', { url: 'http://receiver.example' }],
  ['DELETE', '/webhooks/{id}'],
  ['GET', '/webhooks/{id}/secret'],
  ['POST', '/webhooks/{id}/secret/rotate'],
]

describe('the key identifies the organization', () => {
  test.each(OPERATIONS)(
    "404: another organization's webhook is indistinguishable from an unknown one: %s %s %j",
    async (method, path, body) => {
      const webhook = await api.create()
      const secretPath = `/webhooks/${webhook.id}/secret`
      const secret = await json(await api.call('GET', secretPath))
      const call = (id: string) =>
        api.call(method, path.replace('{id}', id), { token: otherTenant.token, body })
      const theirs = await problem(await call(webhook.id), 404)
      const unknown = await problem(await call(UNKNOWN_ID), 404)
      expect(JSON.stringify(theirs).replaceAll(webhook.id, '')).toBe(
        JSON.stringify(unknown).replaceAll(UNKNOWN_ID, ''),
      )
      expect(await json(await api.call('GET', `/webhooks/${webhook.id}`))).toEqual(webhook)
      expect(await json(await api.call('GET', secretPath))).toEqual(secret)
    },
  )

  test('no header selects another organization, even for an operator', async () => {
    await api.create()
    const operator = await createTenant(api.database.prisma, ['admin'])
    const headers = { 'posthorn-organization': api.tenant.publicOrganizationId }
    const response = await api.call('GET', '/webhooks', { token: operator.token, headers })
    expect(await json(response)).toEqual([])
  })
})
