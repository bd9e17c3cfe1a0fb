import { afterEach, expect, test } from 'vitest'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startInstallation } from '../support/installation.ts'
import { logLines } from '../support/log-lines.ts'
import { callerWith } from '../support/post-graphql.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

type Tenant = Awaited<ReturnType<typeof createTenant>>

/** One process survives all tests, with the default of POSTHORN_MAX_HEAP_MB. */
const installation = await useResource(startInstallation())
const { receiver, posthorn } = installation
/** Each of them uses all the memory that it gets. */
const tenants: Tenant[] = []
for (let i = 0; i < 4; i++) tenants.push(await createTenant(installation.database.prisma))

afterEach(async () => {
  const other = await createTenant(installation.database.prisma)
  await until(async () => (await send(other, SMALL)).status === 200, 'others are served')
  const messages = logLines(posthorn).map(({ msg }) => msg)
  expect(messages).not.toContain('the thread ended and is started again')
  expect(posthorn.child.exitCode).toBeNull()
})

const SMALL = JSON.stringify({ query: '{ __typename }' })

/** 1 MiB, with as many lists as a request may have. */
const BODY =
  `{"query":"{ __typename }","variables":{"a":[${new Array(99_990).fill('[]').join()}]}}`.padEnd(
    1024 * 1024,
  )

const send = ({ token }: Tenant, body: string) => installation.call('POST', '/graphql', body, token)

/** Sends more large requests at a time than fit into the memory. Returns the statuses, after their responses were checked. */
async function sendLarge(): Promise<number[]> {
  const responses = await Promise.all(
    tenants.flatMap((tenant) =>
      Array.from({ length: 60 }, async () => {
        const response = await send(tenant, BODY)
        await response.text()
        return response
      }),
    ),
  )
  for (const { status, headers } of responses) {
    // On a busy machine, a body can come too slowly.
    expect([200, 408, 429, 503]).toContain(status)
    if (status === 429 || status === 503) expect(headers.get('retry-after')).toMatch(/^[15]$/)
  }
  return responses.map(({ status }) => status)
}

test('many large requests get 429 or 503 with Retry-After, and the thread does not end', async () => {
  const statuses = await sendLarge()
  expect(statuses).toContain(200)
  expect(statuses).toContain(429)
})

test('large payloads for slow endpoints, at full concurrency, beside large requests, do not end the thread, and all arrive', async () => {
  const [tenant] = tenants as [Tenant]
  const waiting: (() => void)[] = []
  receiver.answer = (response) => void waiting.push(() => response.end())
  const caller = callerWith(installation.url, tenant.token)
  for (let i = 0; i < 600; i++) await createWebhook(caller, `${receiver.url}${i}`)
  // Each character takes two bytes in memory.
  const data = JSON.stringify({ text: '€'.repeat(87_000) })
  const values = [tenant.publicOrganizationId, JOINED, data]
  for (let i = 0; i < 2; i++)
    await installation.database.pool.query('select posthorn.publish_event($1, $2, $3)', values)
  await until(() => waiting.length > 100, 'many are sent')
  await sendLarge()
  receiver.answer = (response) => response.end()
  for (const answer of waiting) answer()
  await until(
    () => new Set(receiver.received.map(({ headers }) => headers['wh-id'])).size === 1_200,
    'all arrive',
    120_000,
  )
  const bodies = receiver.received.map(({ body }) => body.toString())
  expect(bodies.every((body) => body.endsWith(`,"data":${data}}`))).toBe(true)
})
