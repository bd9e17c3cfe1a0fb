import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { freePort } from '../support/free-port.ts'
import { needs } from '../support/left-out.ts'
import {
  type PosthornProcess,
  PROGRAM,
  runPosthorn,
  startPosthorn,
} from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { blockOf, quoted, runCommands, withReplaced, writePrograms } from './command-blocks.ts'
import { createPostgres, type InstalledPostgres } from './installed-postgres.ts'

/*
 * The commands of docs/operate/moving.md: from the embedded Postgres to one that the package of the system installed, of
 * another version.
 */
let folder: string
let postgres: InstalledPostgres
let receiver: Receiver
let environment: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn moving '))
  receiver = await startReceiver()
  const ca = path.join(folder, 'ca.pem')
  await writeFile(ca, receiver.authority)
  environment = {
    PORT: '0',
    POSTHORN_EGRESS_CA_FILE: ca,
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,5s,5s,5s,5s,5s,5s,5s,5s,5s',
    POSTHORN_EXPORT_PASSPHRASE: 'correct horse battery',
  }
})
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test(
  'from the embedded Postgres to an installed one: keys and webhooks work on, and each installation finishes its own deliveries',
  needs('pg_ctl', 'curl'),
  async () => {
    const cluster = path.join(folder, 'installed')
    await runCommands(`mkdir ${quoted(cluster)}`, { cwd: folder })
    await runCommands(`chmod 755 ${quoted(folder)}`, { cwd: folder })
    postgres = await createPostgres(cluster)
    await postgres.start()
    await postgres.run('createdb posthorn')

    receiver.answer = (response) => response.writeHead(500).end()
    let token: string
    let webhook: { id: string }
    {
      await using embedded = start()
      const url = await readyUrl(embedded)
      token = /^ {2}(phk_\w+)$/m.exec(embedded.stderr)?.[1] ?? ''
      webhook = await call(url, token, {
        url: receiver.url,
        event_subscriptions: [JOINED],
        enabled: true,
      })
      await publish('before the move')
      await receiver.arrival(1)
    }

    await run(blockOf('moving.md', 'posthorn export'))
    await run(
      withReplaced(blockOf('moving.md', 'posthorn import'), {
        'postgres://…': postgres.urlOf('posthorn'),
      }),
    )
    const again = await run('npx posthorn import posthorn.export --json')
    const example = JSON.parse(blockOf('moving.md', '"differences"'))
    expect(shapeOf(JSON.parse(again))).toEqual(shapeOf(example))
    expect(JSON.parse(again)).toMatchObject({ created: { webhooks: 0 }, differences: [] })

    receiver.answer = (response) => response.end()
    receiver.clear()
    await using moved = start()
    const url = await readyUrl(moved)
    expect(await call(url, token)).toMatchObject([{ id: webhook.id, enabled: true }])
    await publish('after the move')
    expect((await receiver.arrival(1)).body.toString()).toContain('after the move')

    receiver.clear()
    const port = String(await freePort())
    const block = blockOf('moving.md', '--role worker')
    const [, settings = '', args = ''] = /^(.*) npx posthorn (.*)$/m.exec(block) ?? []
    const old = Object.fromEntries(settings.split(' ').map((one) => one.split('=')))
    await using worker = start(args.split(' '), { ...old, PORT: port })
    expect((await receiver.arrival(1)).body.toString()).toContain('before the move')
    const counting = withReplaced(blockOf('moving.md', 'curl -s'), { 4100: port })
    await until(async () => {
      const counts = await run(counting).catch(() => '')
      return counts !== '' && !/\} [1-9]/.test(counts)
    }, `the old installation has no deliveries left: ${worker.stderr}`)
    expect(receiver.received).toHaveLength(1)
  },
)

function start(args: readonly string[] = ['start'], variables: object = {}): PosthornProcess {
  return startPosthorn(args, { cwd: folder, environment: { ...environment, ...variables } })
}

async function publish(text: string): Promise<void> {
  const { code, stderr } = await runPosthorn(['publish', JOINED, JSON.stringify({ text })], {
    cwd: folder,
    environment,
  })
  expect(code, stderr).toBe(0)
}

/** Runs commands of the page, with `npx posthorn` as this version. */
async function run(text: string): Promise<string> {
  const programs = await writePrograms(path.join(folder, 'bin'), {
    npx: `shift; exec ${quoted(process.execPath)} ${quoted(PROGRAM)} "$@"`,
  })
  const env = { ...environment, PATH: `${programs}:${process.env['PATH']}` }
  return await runCommands(text, { cwd: folder, env })
}

async function readyUrl(posthorn: PosthornProcess): Promise<string> {
  const ready = () => /"url":"(http:[^"]+)"[^\n]*"msg":"ready"/.exec(posthorn.stderr)?.[1]
  await until(ready, `Posthorn is ready: ${posthorn.stderr}`)
  return ready() as string
}

async function call(url: string, token: string, body?: object) {
  const response = await fetch(`${url}/api/connect/v1/webhooks`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return await response.json()
}

/** The names of all fields, without their values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}
