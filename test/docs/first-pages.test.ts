import { expect, test } from 'vitest'
import { sign } from '../../packages/receiver/src/index.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { followPages } from './guides/support/follow-guide.ts'
import { readKey, sendGraphql } from './guides/support/posthorn.ts'
import { programsAt } from './support/first-programs.ts'
import { blocksOf } from './support/pages.ts'
import { createReader } from './support/reader.ts'

/**
 * The blocks of these pages run one after the other, as printed, in a new clone: a reader who follows them from the top to
 * the bottom gets what they promise. Only ports differ, and `…` has the reader's own value.
 */
const PAGES = ['docs/start/get-started.md', 'docs/start/your-application.md']

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const port = await freePort()
const receiverPort = await freePort()
const url = `http://127.0.0.1:${port}`
/** The reader's own Postgres. */
const ownDatabase = await useResource(createBlankDatabase())
const reader = await useResource(createReader({ PORT: String(port) }))

const posthorn = {
  ...{ reader, url, databaseUrl: '' },
  graphql: (query: string) => sendGraphql(reader, url, query),
}

test('the commands of the README are the first ones of these pages, in the same order', () => {
  const commands = blocksOf('README.md').map(({ text }) => text)
  expect(commands).toHaveLength(3)
  expect(commands).toEqual(
    PAGES.flatMap(blocksOf)
      .slice(0, 3)
      .map(({ text }) => text),
  )
})

const READY = '"msg":"ready"'

async function isReady(): Promise<void> {
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
}

/** The listener has printed a delivery that it verified, with this name in its data. */
const isVerified = (name: string) => async (_: string, now: () => string) => {
  const printed = new RegExp(`✔ verified {2}\\S+\\n(?:.*\\n)*? .*"${name}"`)
  await until(() => printed.test(now()), 'the delivery is printed')
}

/** The reader moves to a Postgres of their own after everything else. */
const isOwnPostgres = ({ text }: { text: string }) => text.includes('DATABASE_URL=')

followPages(PAGES, posthorn, {
  port: receiverPort,
  servers: { 'npm ci && npm start': READY },
  // The dependencies are there.
  replace: () => ({ 'npm ci && npm start': 'npm start' }),
  programs: programsAt(receiverPort),
  optionsOf: (block) => ({ skip: isOwnPostgres(block) }),
  after: {
    'npm ci': isReady,
    '{"attendee": "Ada"}': isVerified('attendee'),
    '{"attendee": "Grace"}': isVerified('attendee'),
    '"order": 9001, "total"': isVerified('order'),
    "from '@posthorn/client'": runProgram,
    createServer: receive,
  },
})

followPages(['docs/start/get-started.md'], posthorn, {
  servers: { 'npm start': READY },
  replace: () => ({ 'postgres://…': ownDatabase.url }),
  optionsOf: (block) => ({ skip: !isOwnPostgres(block) }),
  after: { 'npm start': isReady },
})

/** The program of the block, which publishes an event. */
async function runProgram(): Promise<void> {
  await reader.type(`'${process.execPath}' part.ts`, {
    POSTHORN_URL: url,
    POSTHORN_API_KEY: await readKey(reader),
  })
  const { data } = await posthorn.graphql('{ events(first: 1) { nodes { dataText } } }')
  expect(data.events.nodes[0].dataText).toContain('9002')
}

async function receive(): Promise<void> {
  const receiver = reader.open(`env WEBHOOK_SECRET=${SECRET} '${process.execPath}' part.ts`)
  const body = '{"id":"evt_1","data":{"attendee":"Ada"}}'
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const send = async (signature: string) => {
    const headers = { 'wh-id': 'msg_1', 'wh-timestamp': timestamp, 'wh-signature': signature }
    return await fetch(`http://127.0.0.1:${receiverPort}`, { method: 'POST', headers, body })
  }
  const signature = await sign(SECRET, 'msg_1', timestamp, body)
  const isAccepted = () =>
    send(signature).then(
      ({ status }) => status === 204,
      () => false,
    )
  await until(isAccepted, 'a 204')
  await until(() => receiver.output.includes(`msg_1 ${body}`), 'the event is printed')
  const rejected = await send(`v1,${'A'.repeat(43)}=`)
  expect([rejected.status, await rejected.text()]).toEqual([400, 'no-matching-signature'])
  await receiver.stop()
}
