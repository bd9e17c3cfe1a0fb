import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuthority } from '../../outbound/certificates.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { freePort } from '../../support/free-port.ts'
import { requirePackages } from '../../support/installed-packages.ts'
import { printed, startProgram } from '../../support/running-program.ts'
import { outcome, publishEvent, registerWebhook } from '../support/deliveries.ts'
import {
  createReceiverProject,
  linkPackages,
  type ReceiverProject,
  readmeFiles,
} from '../support/packed-receiver.ts'
import { startTlsFront, type TlsFront } from '../support/tls-front.ts'

const HERE = import.meta.dirname
const ROUTE = 'app/webhooks/route.ts'
const PAGE = 'pages/api/webhooks.ts'

const installed = await requirePackages('test/receiver/frameworks')

describe('Next.js', installed, () => {
  let posthorn: TestApp
  let project: ReceiverProject
  let front: TlsFront
  let port: number

  beforeAll(async () => {
    const authority = await createTestAuthority()
    posthorn = await startTestApp({ trustedAuthorities: [authority.pem] })
    port = await freePort()
    front = await startTlsFront(authority, port)
    project = await createReceiverProject()
    await linkPackages(project, HERE)
    const programs = await readmeFiles()
    const route = programs.get(ROUTE) ?? ''
    const page = programs.get(PAGE) ?? ''
    // Without types, so that Next.js needs no TypeScript of its own.
    await write('app/webhooks/route.js', route)
    await write('pages/api/webhooks.js', page)
    await write('pages/api/parsed.js', page.replace(/export const config .*\n/, ''))
    await write(
      'app/parsed/route.js',
      `${route.replace('export const POST', 'const receive')}
       export const POST = async (request) => (await request.json()) && (await receive(request))`,
    )
    await write('package.json', '{ "type": "module" }')
    await cp(path.join(HERE, 'store-event.js'), path.join(project.folder, 'store-event.js'))
    await promisify(execFile)(process.execPath, [NEXT, 'build', '--webpack'], {
      cwd: project.folder,
      env: { ...process.env, ...ENVIRONMENT },
    })
  })
  afterAll(async () => {
    await posthorn?.[Symbol.asyncDispose]()
    await front?.[Symbol.asyncDispose]()
    await project?.[Symbol.asyncDispose]()
  })

  async function write(name: string, code: string): Promise<void> {
    expect(code).toContain(name === 'package.json' ? '' : '@posthorn/receiver/next')
    const file = path.join(project.folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }

  async function start(route: string) {
    const { webhookId, secret } = await registerWebhook(posthorn, front.url + route)
    const program = await startProgram({
      command: [process.execPath, NEXT, 'start', '-H', '127.0.0.1', '-p', `${port}`],
      cwd: project.folder,
      port,
      environment: { ...ENVIRONMENT, WEBHOOK_SECRET: secret },
    })
    return {
      program,
      webhookId,
      async [Symbol.asyncDispose]() {
        await posthorn.rest('DELETE', `/webhooks/${webhookId}`)
        await program[Symbol.asyncDispose]()
      },
    }
  }

  test.each([
    ['App Router', '/webhooks'],
    ['Pages Router', '/api/webhooks'],
  ])(
    '%s: an event arrives, also after the handler failed, and one with a wrong secret does not',
    async (_, route) => {
      await using receiver = await start(route)
      const id = await publishEvent(posthorn, { name: 'Zoë · ✓' })
      expect(await outcome(posthorn, id)).toMatchObject({ state: 'SUCCEEDED', answers: [204] })
      await printed(receiver.program, `stored ${id}`)

      const failing = await publishEvent(posthorn, { failOnce: true })
      const retried = { state: 'SUCCEEDED', answers: [500, 204] }
      expect(await outcome(posthorn, failing)).toMatchObject(retried)
      await printed(receiver.program, `stored ${failing}`)

      await posthorn.rest('POST', `/webhooks/${receiver.webhookId}/secret/rotate`)
      const rejected = await outcome(posthorn, await publishEvent(posthorn, {}))
      expect(rejected).toMatchObject({ state: 'EXHAUSTED', answers: [400, 400, 400, 400] })
      expect(rejected.bodies[0]).toBe('no-matching-signature')
    },
  )

  test.each([
    ['App Router', '/parsed', 'let other code read request.clone()'],
    ['Pages Router', '/api/parsed', 'export const config = { api: { bodyParser: false } }'],
  ])(
    '%s: after a body parser the answer is 500, and the log says what to change',
    async (_, route, advice) => {
      await using receiver = await start(route)
      const rejected = await outcome(posthorn, await publishEvent(posthorn, {}))
      expect(rejected).toMatchObject({ state: 'EXHAUSTED', answers: [500, 500, 500, 500] })
      await printed(receiver.program, advice)
      expect(receiver.program.output).not.toContain('stored')
    },
  )
})

const NEXT = path.join(HERE, 'node_modules/next/dist/bin/next')
const ENVIRONMENT = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
