import { describe, expect, test } from 'vitest'
import { createTenant } from '../../support/factories.ts'
import { json, problem, UNKNOWN_ID, useConnectV1, WEBHOOKS } from './connect-v1.ts'

const api = await useConnectV1()

/** A tenant with `count` webhooks, oldest first. */
async function tenantWith(count: number) {
  const { token } = await createTenant(api.database.prisma)
  const webhooks = []
  for (let i = 0; i < count; i++)
    webhooks.push(await api.create({ description: `${i}` }, { token }))
  return { token, webhooks }
}

describe('GET /webhooks', () => {
  test('returns 200 with a JSON array of all webhooks of the organization, oldest first', async () => {
    const { token, webhooks } = await tenantWith(3)
    const response = await api.call('GET', '/webhooks', { token })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('link')).toBeNull()
    expect(await json(response)).toEqual(webhooks)
  })

  test('with a limit, its Link headers lead through all webhooks once', async () => {
    const { token, webhooks } = await tenantWith(5)
    const pages: { id: string }[][] = []
    let next: string | null = `${WEBHOOKS}?limit=2`
    while (next !== null) {
      const response: Response = await api.app.request(next, {
        headers: { authorization: `Bearer ${token}` },
      })
      pages.push(await json(response))
      const link = response.headers.get('link')
      next = link && (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] as string)
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(webhooks)
  })

  test('omits a deleted webhook, which still works as a cursor', async () => {
    const { token, webhooks } = await tenantWith(2)
    await api.call('DELETE', `/webhooks/${webhooks[0].id}`, { token })
    expect(await json(await api.call('GET', '/webhooks', { token }))).toEqual([webhooks[1]])
    const response = await api.call('GET', `/webhooks?cursor=${webhooks[0].id}`, { token })
    expect(await json(response)).toEqual([webhooks[1]])
  })

  test('a cursor of another organization returns none of its webhooks', async () => {
    const { webhooks } = await tenantWith(2)
    const { token } = await tenantWith(0)
    const response = await api.call('GET', `/webhooks?cursor=${webhooks[0].id}`, { token })
    expect(await json(response)).toEqual([])
  })
})

describe('GET /webhooks rejects', () => {
  test.each(['0', '101', '1.5', '', 'all', '1&limit=2'])('limit=%s', async (limit) => {
    const { errors } = await problem(await api.call('GET', `/webhooks?limit=${limit}`), 422)
    expect(errors).toEqual([
      {
        parameter: 'limit',
        code: 'invalid_limit',
        detail: 'limit must be a whole number from 1 to 100, given once.',
      },
    ])
  })

  test.each(['', 'next', 'evt_01h455vb4pex5vsknk084sn02q', `${UNKNOWN_ID}&cursor=${UNKNOWN_ID}`])(
    'cursor=%s',
    async (cursor) => {
      const { errors } = await problem(await api.call('GET', `/webhooks?cursor=${cursor}`), 422)
      expect(errors).toMatchObject([{ parameter: 'cursor', code: 'invalid_cursor' }])
    },
  )
})
