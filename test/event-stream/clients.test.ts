import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { requirePackages } from '../support/installed-packages.ts'

const posthorn = await useTestApp({ role: 'api' })
const url = `${posthorn.app.url}/graphql/events`
const headers = { authorization: `Bearer ${posthorn.tenant.token}` }

async function publish(): Promise<string> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($data: JSON!) { publishEvent(input: { type: "${JOINED}", data: $data }) {
      ... on PublishEventSuccess { publishedEvent { id } } } }`,
    { data: {} },
  )
  return publishEvent.publishedEvent.id
}

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
