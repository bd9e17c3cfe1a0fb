import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const MAX = 1_000

const posthorn = await useTestApp({ role: 'api' })

await posthorn.database.pool.query(
  `insert into posthorn.webhooks (organization_id, url, event_subscriptions)
   select $1, 'https://example.com/hooks', $2 from generate_series(1, $3)`,
  [posthorn.tenant.organizationId, [JOINED], MAX - 1],
)

const create = () =>
  posthorn.rest('POST', '/webhooks', {
    url: 'https://example.com/hooks',
    event_subscriptions: [JOINED],
  })

test('an organization has at most 1,000 webhooks', async () => {
  expect((await create()).status).toBe(201)
  const detail = 'An organization can have 1,000 webhooks. Delete one that is no longer used.'
  expect(await (await create()).json()).toMatchObject({
    status: 422,
    errors: [{ pointer: '#', code: 'too_many_webhooks', detail }],
  })
})
