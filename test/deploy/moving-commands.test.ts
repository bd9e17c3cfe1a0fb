import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { JOINED } from '../support/factories.ts'
import { needs } from '../support/left-out.ts'
import { logLine } from '../support/log-lines.ts'
import { PROGRAM, startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { blockOf, quoted, runCommands, withReplaced, writePrograms } from './command-blocks.ts'
import { createPostgres, type InstalledPostgres } from './installed-postgres.ts'

/*
 * The commands of docs/operate/backups.md: from the embedded Postgres to one that the package of the system installed, of
 * another version.
 */
const folder = await useFolder('moving')
let postgres: InstalledPostgres
let environment: Record<string, string>

const receiver = await useResource(startReceiver())
beforeAll(async () => {
  const ca = path.join(folder, 'ca.pem')
  await writeFile(ca, receiver.authority)
  environment = {
    PORT: '0',
    POSTHORN_EGRESS_CA_FILE: ca,
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    POSTHORN_RETRY_SCHEDULE: '1s,1s,1s,5s,5s,5s,5s,5s,5s,5s,5s,5s',
  }
})
afterAll(() => postgres?.[Symbol.asyncDispose]())

test(
  'from the embedded Postgres to an installed one: keys and webhooks work on, and deliveries that were not sent yet go on',
  needs('pg_ctl', 'curl'),
  async () => {
    const cluster = path.join(folder, 'installed')
    await mkdir(cluster)
    await chmod(folder, 0o755)
    postgres = await createPostgres(cluster)
    await postgres.start()
    await postgres.run('createdb posthorn')

    receiver.answer = (response) => response.writeHead(500).end()
    let token: string
    let webhook: { id: string }
    {
      await using embedded = start()
      const { url } = await logLine(embedded, { msg: 'ready' })
      token = /^ {2}(phk_\w+)$/m.exec(embedded.stderr)?.[1] ?? ''
      webhook = await call(url, token, {
        url: receiver.url,
        event_subscriptions: [JOINED],
        enabled: true,
      })
      await publish(url, token, 'before the move')
      await receiver.arrival(1)
    }

    await run(blockOf('backups.md', 'export --output posthorn'))
    await run(
      withReplaced(blockOf('backups.md', 'posthorn import'), {
        'postgres://…': postgres.urlOf('posthorn'),
      }),
    )
    await expect(run('npx posthorn import posthorn.jsonl')).rejects.toThrow(
      'The installation has organizations.',
    )

    receiver.answer = (response) => response.end()
    receiver.clear()
    await using moved = start()
    const { url } = await logLine(moved, { msg: 'ready' })
    expect((await receiver.arrival(1)).body.toString()).toContain('before the move')
    expect(await call(url, token)).toMatchObject([{ id: webhook.id, enabled: true }])
    await publish(url, token, 'after the move')
    expect((await receiver.arrival(2)).body.toString()).toContain('after the move')

    const list = await run(`POSTHORN_API_KEY=${token} npx posthorn key list --server ${url}`)
    const id = /org_\w+/.exec(list)?.[0] ?? ''
    await run(withReplaced(blockOf('backups.md', '--organization'), { 'org_…': id }))
    const exported = await readFile(path.join(folder, 'organization.jsonl'), 'utf8')
    expect(exported).toContain('after the move')
  },
)

const start = () => startPosthorn(['start'], { cwd: folder, environment })

async function publish(url: string, token: string, text: string): Promise<void> {
  const args = ['publish', JOINED, JSON.stringify({ text }), '--server', url]
  const { code, stderr } = await runCommand(args, { POSTHORN_API_KEY: token })
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

async function call(url: string, token: string, body?: object) {
  const response = await fetch(`${url}/api/connect/v1/webhooks`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return await response.json()
}
