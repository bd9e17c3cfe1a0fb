import { describe, expect, test } from 'vitest'
import { TICKET } from '../../support/factories.ts'
import { traceOf } from '../../support/webhook-traces.ts'
import { json, NEW_WEBHOOK, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

const STRONG = /^"[!#-~]+"$/

const call = (
  method: string,
  id: string,
  headers: Record<string, string> = {},
  body: unknown = undefined,
) => api.call(method, `/webhooks/${id}`, { headers, ...(body !== undefined && { body }) })

const entityTagOf = (response: Response) => response.headers.get('etag') as string
const currentTag = async (id: string) => entityTagOf(await call('GET', id))

/** Everything that a change of the webhook can change. */
async function stateOf(id: string) {
  return { ...(await traceOf(api.database, id)), webhook: await json(await call('GET', id)) }
}

describe('ETag', () => {
  test('is strong, and the same for create, read, update and HEAD', async () => {
    const created = await api.call('POST', '/webhooks', { body: NEW_WEBHOOK })
    const { id } = await json(created)
    expect(entityTagOf(created)).toMatch(STRONG)
    expect(await currentTag(id)).toBe(entityTagOf(created))
    const head = await call('HEAD', id)
    expect([head.status, entityTagOf(head)]).toEqual([200, entityTagOf(created)])
    const updated = await call('PUT', id, {}, { headers: { 'X-A': '1' }, description: 'Doors' })
    expect(await currentTag(id)).toBe(entityTagOf(updated))
  })

  test('changes with each field, and stays when the signing secret is rotated, which is none', async () => {
    const { id } = await api.create()
    const tags = new Set([await currentTag(id)])
    const fields = {
      ...{ url: 'https://other.example/', description: 'Doors', enabled: true },
      ...{ event_subscriptions: [TICKET], headers: { 'X-A': '1' } },
    }
    for (const [field, value] of Object.entries(fields)) {
      const headers = { 'if-none-match': await currentTag(id) }
      await call('PUT', id, {}, { [field]: value })
      expect((await call('GET', id, headers)).status).toBe(200)
      tags.add(await currentTag(id))
    }
    expect(tags.size).toBe(6)
    await api.call('POST', `/webhooks/${id}/secret/rotate`)
    expect(tags.has(await currentTag(id))).toBe(true)
  })
})

test.each([
  ['the tag', (tag: string) => tag],
  ['the tag, weak', (tag: string) => `W/${tag}`],
  ['the tag among others', (tag: string) => `"other", ${tag}`],
])('If-None-Match on GET returns 304 without a body: %s', async (_what, header) => {
  const { id } = await api.create()
  const etag = await currentTag(id)
  const response = await call('GET', id, { 'if-none-match': header(etag) })
  expect(response.status).toBe(304)
  expect(await response.text()).toBe('')
  expect(entityTagOf(response)).toBe(etag)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-type')).toBeNull()
})

describe('If-Match', () => {
  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag among others', (tag: string) => `"other", ${tag}`],
    ['*', () => '*'],
  ])('with %s lets PUT and DELETE through', async (_what, header) => {
    const { id } = await api.create()
    const headers = async () => ({ 'if-match': header(await currentTag(id)) })
    const updated = await call('PUT', id, await headers(), { description: 'Doors' })
    expect((await json(updated)).description).toBe('Doors')
    expect((await call('DELETE', id, await headers())).status).toBe(204)
    await problem(await call('GET', id), 404)
  })

  test.each([
    ['an earlier tag', (_tag: string, earlier: string) => earlier],
    ['the tag, weak', (tag: string) => `W/${tag}`],
    ['another tag', () => '"other"'],
    ['what is no tag', () => 'abc'],
  ])('with %s: 412, and nothing is changed', async (_what, header) => {
    const { id } = await api.create({ enabled: true })
    const earlier = await currentTag(id)
    await call('PUT', id, {}, { description: 'Doors' })
    const headers = { 'if-match': header(await currentTag(id), earlier) }
    const before = await stateOf(id)
    for (const response of [
      await call('PUT', id, headers, { description: 'Lost' }),
      await call('PUT', id, headers, {}),
      await call('DELETE', id, headers),
    ]) {
      const { type, errors } = await problem(response, 412)
      expect(type).toBe('urn:posthorn:problem:precondition-failed')
      expect(errors).toMatchObject([{ header: 'If-Match', code: 'other_version' }])
    }
    expect(await stateOf(id)).toEqual(before)
  })

  test('lets only one of several changes at once through', async () => {
    const { id } = await api.create()
    const headers = { 'if-match': await currentTag(id) }
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 3 === 2
          ? call('DELETE', id, headers)
          : call('PUT', id, headers, { description: `Change ${i}` }),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
    // After a DELETE, the others find no webhook.
    expect(statuses.filter((status) => status === 412 || status === 404)).toHaveLength(11)
    const audited = await api.database.prisma.auditEntry.count({ where: { subjectId: id } })
    expect(audited).toBe(2)
  })
})
