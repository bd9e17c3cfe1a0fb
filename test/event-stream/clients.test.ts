import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { until } from '../support/until.ts'

const posthorn = await useTestApp({ role: 'api' })
const url = `${posthorn.app.url}/graphql/events`
const headers = { authorization: `Bearer ${posthorn.tenant.token}` }

const PULL = `mutation ($consumer: String!) {
  pullEvents(consumer: $consumer) { lease events { __typename id cursor } }
}`
const FOLLOW = 'subscription { events { __typename id } }'

async function publish(): Promise<string> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($data: JSON!) { publishEvent(input: { type: "${JOINED}", data: $data }) {
      ... on PublishEventSuccess { publishedEvent { id } } } }`,
    { data: {} },
  )
  return publishEvent.publishedEvent.id
}

test('urql pulls events, and follows them', async () => {
  const client = new Client({
    url,
    fetchOptions: { headers },
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
  })
  const pulled = await client.mutation(PULL, { consumer: 'urql' })
  expect(pulled.data).toMatchObject({ pullEvents: { events: [] } })
  const received: string[] = []
  const { unsubscribe } = client
    .subscription(FOLLOW, {})
    .subscribe(({ data }) => received.push(data?.events.id))
  try {
    const published: string[] = []
    await until(async () => {
      published.push(await publish())
      return received.length > 0
    }, 'an event')
    expect(published).toContain(received[0])
  } finally {
    unsubscribe()
  }
})

test(
  'Apollo Client reads an event, with its type',
  await requirePackages('test/apollo'),
  async () => {
    const { readWithApollo } = await import('../apollo/apollo-events.ts')
    const id = await publish()
    expect(await readWithApollo({ url, headers }, id)).toMatchObject({
      event: { __typename: 'EventAttendeeJoinedEvent', id, type: JOINED },
    })
    await expect(readWithApollo({ url, headers: {} }, id)).rejects.toThrow('No API key was given')
  },
)
