import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { runCommands, writePrograms } from '../deploy/command-blocks.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { needs } from '../support/left-out.ts'
import { PROGRAM } from '../support/posthorn-process.ts'
import { blocksOf } from './support/pages.ts'

/* The commands of pages that describe a feature, each on the same Posthorn. `…` has a value of its reader. */

let posthorn: TestApp
let folder: string
let programs: string
let values: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn commands '))
  programs = await writePrograms(path.join(folder, 'bin'), {
    posthorn: `exec '${process.execPath}' '${PROGRAM}' "$@"`,
  })
  await promisify(execFile)('git', ['init', '--quiet'], { cwd: folder })
  posthorn = await startTestApp({ role: 'api' })
  await posthorn.database.pool.query(
    `insert into posthorn.event_types (name, description, search_keys)
     values ('order.paid', 'An order was paid.', '{"$.customer.email"}')`,
  )
  const { createWebhook } = await posthorn.graphql(
    `mutation {
       createWebhook(input: { url: "https://example.com", eventSubscriptions: ["order.paid"], enabled: true }) {
         ... on CreateWebhookSuccess { webhook { id } }
       }
     }`,
  )
  values = {
    'org_…': publicId('organization', posthorn.tenant.organizationId),
    'wh_…': createWebhook.webhook.id,
    'http://127.0.0.1:4000': posthorn.app.url,
    'https://webhooks.example.com': posthorn.app.url,
  }
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function run(text: string): Promise<string> {
  const command = Object.entries(values).reduce(
    (result, [placeholder, value]) => result.replaceAll(placeholder, value),
    text,
  )
  return await runCommands(command, {
    cwd: folder,
    env: {
      ...testEnvironment(posthorn.database.url),
      PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      KEY: posthorn.tenant.token,
      URL: posthorn.app.url,
    },
  })
}

async function publish(): Promise<void> {
  const { publishEvent } = await posthorn.graphql(
    `mutation {
       publishEvent(input: { type: "order.paid", data: { customer: { email: "ada@example.org" }, total: 150 } }) {
         ... on PublishEventSuccess { publishedEvent { id } }
         ... on UserError { message }
       }
     }`,
  )
  expect(publishEvent).toHaveProperty('publishedEvent')
}

const commandsOf = (page: string) =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)

describe('with curl', needs('curl'), () => {
  test('docs/guides/typed-events.md: the OpenAPI document', async () => {
    const [block = ''] = commandsOf('docs/guides/typed-events.md')
    expect(JSON.parse(await run(block)).webhooks).toHaveProperty(['order.paid'])
  })

  test('docs/guides/recovery.md: a recovery is counted', async () => {
    const [block = ''] = commandsOf('docs/guides/recovery.md')
    expect(JSON.parse(await run(block)).data.recoverDeliveries).toMatchObject({
      __typename: 'RecoverDeliveriesSuccess',
    })
  })

  test('docs/guides/event-stream.md: events are pulled and acknowledged', async () => {
    const [pull = '', acknowledge = ''] = commandsOf('docs/guides/event-stream.md')
    // The stream begins with the first pull.
    await run(pull.replace('wait=20', 'wait=0'))
    await publish()
    const { lease, events } = JSON.parse(await run(pull))
    expect(events).toHaveLength(1)
    await run(acknowledge.replace('lease_…', lease))
    expect(JSON.parse(await run(pull.replace('wait=20', 'wait=0'))).events).toEqual([])
  })
})
