import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sign } from '../../../packages/receiver/src/index.ts'
import { createTestAuthority, type TestAuthority } from '../../outbound/certificates.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
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
import { startTlsFront } from '../support/tls-front.ts'

const HERE = import.meta.dirname
const MAX_BODY_BYTES = 2 ** 20

interface Framework {
  readonly name: string
  /** The program of the README, as the test changes it. */
  readonly file: string
  readonly change?: (code: string) => string
  /** What runs, if that is another file. */
  readonly server?: string
  readonly path?: string
  /** Of an error of the handler. */
  readonly errorStatus?: number
  /** A change that reads the body before the receiver, or the path at which it does, and what the error must advise. */
  readonly parseFirst?: readonly [change: string | ((code: string) => string), advice: string]
}

const replace = (from: string, to: string) => (code: string) => {
  expect(code).toContain(from)
  return code.replace(from, () => to)
}

const EXPRESS_PARSER = [
  replace('app.post(', 'app.use(express.json())\napp.post('),
  "register the route before the body parser: app.post('/webhooks', receiver(…)) above app.use(express.json())",
] as const
const FASTIFY_PARSER = [
  replace(
    'app.register(',
    `app.addHook('preValidation', async (request) => {
       if (request.body) request.body = JSON.parse(String(request.body))
     })
     app.register(`,
  ),
  'register it as a plugin: app.register(receiver({ path, secret }, handler))',
] as const

const FRAMEWORKS: readonly Framework[] = [
  { name: 'Express 5', file: 'express.ts', parseFirst: EXPRESS_PARSER },
  {
    name: 'Express 4',
    file: 'express.ts',
    change: replace(`from 'express'`, `from 'express-4'`),
    parseFirst: EXPRESS_PARSER,
  },
  {
    name: 'Express with express.raw() first',
    file: 'express.ts',
    change: replace('app.post(', `app.use(express.raw({ type: '*/*', limit: '2mb' }))\napp.post(`),
  },
  { name: 'Fastify 5', file: 'fastify.ts', parseFirst: FASTIFY_PARSER },
  {
    name: 'Fastify 4',
    file: 'fastify.ts',
    change: replace(`from 'fastify'`, `from 'fastify-4'`),
    parseFirst: FASTIFY_PARSER,
  },
  {
    name: 'Hono',
    file: 'hono.ts',
    parseFirst: [
      replace(
        'app.post(',
        `app.use(async (context, next) => {
           await context.req.json()
           await next()
         })
         app.post(`,
      ),
      'let the middleware read c.req.raw.clone()',
    ],
  },
  {
    name: 'Request and Response',
    file: 'fetch.ts',
    server: 'fetch-server.js',
    parseFirst: [
      replace('const delivery', 'await request.json()\n  const delivery'),
      'let that code read request.clone()',
    ],
  },
  { name: 'node:http', file: 'node-http.ts' },
  ...['rest', 'http', 'function-url', 'alb', 'alb-multi'].map((service) => ({
    name: `AWS Lambda behind ${service}`,
    file: 'lambda.ts',
    server: 'lambda-gateway.js',
    path: `/${service}`,
    errorStatus: 502,
  })),
  {
    name: 'the App Router of Next.js',
    file: 'app/webhooks/route.ts',
    parseFirst: ['/parsed', 'let other code read request.clone()'],
  },
  {
    name: 'the Pages Router of Next.js',
    file: 'pages/api/webhooks.ts',
    path: '/api/webhooks',
    parseFirst: ['/api/parsed', 'export const config = { api: { bodyParser: false } }'],
  },
]

const isNext = ({ file }: Framework) => file.includes('/')
const NEXT = path.join(HERE, 'node_modules/next/dist/bin/next')
const TSC = path.join(HERE, '../../../node_modules/typescript/bin/tsc')
const PRODUCTION = { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const

const programs = await readmeFiles()
const installed = await requirePackages('test/receiver/frameworks')

describe('the receivers of the README', installed, () => {
  let authority: TestAuthority
  let posthorn: TestApp
  let project: ReceiverProject

  beforeAll(async () => {
    authority = await createTestAuthority()
    posthorn = await startTestApp({ trustedAuthorities: [authority.pem] })
    project = await createReceiverProject()
    await linkPackages(project, HERE)
  })
  afterAll(async () => {
    await posthorn?.[Symbol.asyncDispose]()
    await project?.[Symbol.asyncDispose]()
  })

  /** Registers a webhook, and starts the receiver with its secret. */
  async function start(framework: Framework, change = (code: string) => code) {
    const port = await freePort()
    const front = await startTlsFront(authority, port)
    const route = framework.path ?? '/webhooks'
    const { webhookId, secret } = await registerWebhook(posthorn, front.url + route)
    const program = await startProgram({
      command: isNext(framework)
        ? [process.execPath, NEXT, 'start', '-H', '127.0.0.1', '-p', `${port}`]
        : [process.execPath, framework.server ?? framework.file],
      cwd: isNext(framework) ? await next() : await writeProgram(framework, port, change),
      port,
      environment: { WEBHOOK_SECRET: secret, ...PRODUCTION },
    })
    return {
      ...{ secret, program, url: `http://127.0.0.1:${port}${route}` },
      async [Symbol.asyncDispose]() {
        await posthorn.rest('DELETE', `/webhooks/${webhookId}`)
        await program[Symbol.asyncDispose]()
        await front[Symbol.asyncDispose]()
      },
    }
  }

  async function writeProgram(
    framework: Framework,
    port: number,
    change: (code: string) => string,
  ): Promise<string> {
    // A port is used again.
    const folder = await mkdtemp(path.join(project.folder, `port-${port}-`))
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    const onLoopback = (code: string) =>
      code
        .replace('.listen(3000)', `.listen(${port}, '127.0.0.1')`)
        .replace('port: 3000', `port: ${port}, hostname: '127.0.0.1'`)
        .replace('./store-event.ts', './store-event.js')
    const code = programs.get(framework.file) ?? ''
    expect(code).toContain('@posthorn/receiver')
    const changed = change(framework.change?.(code) ?? code)
    await writeFile(path.join(folder, framework.file), onLoopback(changed))
    await cp(path.join(HERE, 'store-event.js'), path.join(folder, 'store-event.js'))
    if (framework.server) {
      const server = await readFile(path.join(HERE, framework.server), 'utf8')
      await writeFile(path.join(folder, framework.server), onLoopback(server))
    }
    return folder
  }

  /** Both routers in one project, each also with a parser before the receiver. It is built once. */
  let built: Promise<string> | undefined
  const next = () => {
    built ??= buildNext()
    return built
  }

  async function buildNext(): Promise<string> {
    const folder = await mkdtemp(path.join(project.folder, 'next-'))
    const route = programs.get('app/webhooks/route.ts') ?? ''
    const page = programs.get('pages/api/webhooks.ts') ?? ''
    expect(route && page).toContain('@posthorn/receiver/next')
    const files = {
      'package.json': '{ "type": "module" }',
      // Without types, so that Next.js needs no TypeScript of its own.
      'app/webhooks/route.js': route,
      'pages/api/webhooks.js': page,
      'pages/api/parsed.js': page.replace(/export const config .*\n/, ''),
      'app/parsed/route.js': `${route.replace('export const POST', 'const receive')}
       export const POST = async (request) => (await request.json()) && (await receive(request))`,
    }
    for (const [name, code] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), code)
    }
    await cp(path.join(HERE, 'store-event.js'), path.join(folder, 'store-event.js'))
    const env = { ...process.env, ...PRODUCTION }
    await promisify(execFile)(process.execPath, [NEXT, 'build', '--webpack'], { cwd: folder, env })
    return folder
  }

  describe.each(FRAMEWORKS)('$name', (framework) => {
    const { errorStatus = 500 } = framework
    let receiver: Awaited<ReturnType<typeof start>>

    beforeAll(async () => {
      receiver = await start(framework)
    })
    afterAll(async () => await receiver?.[Symbol.asyncDispose]())

    /** A request that is signed as Posthorn does, but for the changes. */
    async function send(changes: { id?: string; body?: string; sentBody?: BodyInit }) {
      const { id = `msg_${crypto.randomUUID()}`, body = EVENT } = changes
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const response = await fetch(receiver.url, {
        method: 'POST',
        body: changes.sentBody ?? body,
        headers: {
          'content-type': 'application/json',
          'wh-id': id,
          'wh-timestamp': timestamp,
          'wh-signature': await sign(receiver.secret, id, timestamp, body),
        },
        ...(changes.sentBody instanceof ReadableStream && { duplex: 'half' }),
      } as RequestInit)
      return { status: response.status, text: await response.text() }
    }

    test('an event arrives', async () => {
      const id = await publishEvent(posthorn, { name: 'Zoë · ✓' })
      expect(await outcome(posthorn, id)).toMatchObject({ state: 'SUCCEEDED', answers: [204] })
      await printed(receiver.program, `stored ${id}`)
    })

    test('a delivery whose handler fails is tried again, and then processed', async () => {
      const id = await publishEvent(posthorn, { failOnce: true })
      expect(await outcome(posthorn, id)).toMatchObject({
        state: 'SUCCEEDED',
        answers: [errorStatus, 204],
      })
      await printed(receiver.program, `stored ${id}`)
      await printed(receiver.program, 'The disk is full.')
    })

    test('a repeat is answered 2xx, and not processed again', async () => {
      const id = 'msg_repeated'
      const body = EVENT.replace('evt_1', 'evt_repeated')
      expect((await send({ id, body })).status).toBe(204)
      expect((await send({ id, body })).status).toBeLessThan(205)
      await printed(receiver.program, 'stored evt_repeated')
      expect(receiver.program.output.match(/stored evt_repeated/g)).toHaveLength(1)
    })

    test('a changed body is rejected, and not processed', async () => {
      const stored = receiver.program.output.match(/stored/g)?.length
      const answer = await send({ sentBody: EVENT.replace('1', '2') })
      expect(answer).toEqual({ status: 400, text: 'no-matching-signature' })
      expect(receiver.program.output.match(/stored/g)?.length).toBe(stored)
    })

    // verify gets a body that the program has read, without a bound.
    const bounded = framework.file !== 'node-http.ts'

    test.runIf(bounded)('a body of 1 MiB is accepted, and one more byte is not', async () => {
      const padding = 'x'.repeat(MAX_BODY_BYTES - EVENT.length)
      const largest = EVENT.replace('evt_1', `evt_1${padding}`)
      expect((await send({ body: largest })).status).toBe(204)
      expect((await send({ body: `${largest} ` })).status).toBe(413)
      // Without content-length.
      const sentBody = new Blob([`${largest} `]).stream()
      expect((await send({ body: `${largest} `, sentBody })).status).toBe(413)
    })
  })

  const PARSERS = FRAMEWORKS.flatMap(({ parseFirst, ...framework }) =>
    parseFirst ? { ...framework, parse: parseFirst[0], advice: parseFirst[1] } : [],
  )

  test.each(PARSERS)(
    '$name with a body parser first answers 500, and the log says what to change',
    async ({ parse, advice, ...framework }) => {
      await using receiver =
        typeof parse === 'string'
          ? await start({ ...framework, path: parse })
          : await start(framework, parse)
      const { state, answers } = await outcome(posthorn, await publishEvent(posthorn, {}))
      expect({ state, answers }).toEqual({ state: 'EXHAUSTED', answers: [500, 500, 500, 500] })
      await printed(receiver.program, advice)
      expect(receiver.program.output).not.toContain('stored')
    },
  )

  describe('with the types of the frameworks', () => {
    let folder: string
    const write = async (name: string, code: string) => {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), code)
    }
    const run = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
        ({ stdout }: { stdout: string }) => ({ stdout }),
      )

    beforeAll(async () => {
      folder = await mkdtemp(path.join(project.folder, 'types-'))
      await write('package.json', '{ "type": "module" }')
      await write('store-event.ts', STORE_EVENT)
      for (const [name, code] of programs) await write(name, code)
    })

    test('its programs compile under --strict', async () => {
      expect(programs.size).toBeGreaterThan(9)
      const options = ['--module', 'preserve', '--allowImportingTsExtensions', '--skipLibCheck']
      const environment = ['--lib', 'es2023,dom', '--types', 'node', '--jsx', 'preserve']
      const args = ['--ignoreConfig', '--noEmit', '--strict', ...options, ...environment]
      expect((await run(TSC, ...args, ...programs.keys())).stdout).toBe('')
    })

    test('its test of a receiver passes, and fails if the receiver takes every request', async () => {
      expect((await run('--test', 'receiver.test.ts')).stdout).toMatch(/pass 2\n/)
      const answer = 'new Response(null, { status: 204 })'
      await write('fetch.ts', `export const POST = async (_: Request) => ${answer}`)
      expect((await run('--test', 'receiver.test.ts')).stdout).toMatch(/fail 1\n/)
    })
  })
})

/** The code of a user that the programs of the README import. */
const STORE_EVENT = `import type { WebhookEvent } from '@posthorn/receiver'
export async function storeEvent({ id, type }: WebhookEvent): Promise<void> {
  console.log(id, type)
}`

const EVENT = JSON.stringify({
  id: 'evt_1',
  type: JOINED,
  timestamp: '2026-11-22T03:01:16.928Z',
  data: {},
})
