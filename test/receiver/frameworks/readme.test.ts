import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirePackages } from '../../support/installed-packages.ts'
import {
  createReceiverProject,
  linkPackages,
  type ReceiverProject,
  readmeFiles,
} from '../support/packed-receiver.ts'

const TSC = path.join(import.meta.dirname, '../../../node_modules/.bin/tsc')

/** The code of a user that the programs of the README import. */
const STORE_EVENT = `import type { WebhookEvent } from '@posthorn/receiver'
export async function storeEvent({ id, type }: WebhookEvent): Promise<void> {
  console.log(id, type)
}`

const installed = await requirePackages('test/receiver/frameworks')

describe('the README of @posthorn/receiver', installed, () => {
  let project: ReceiverProject
  let files: string[]

  beforeAll(async () => {
    project = await createReceiverProject()
    await linkPackages(project, import.meta.dirname)
    const programs = new Map(await readmeFiles())
    files = [...programs.keys()]
    await write('package.json', '{ "type": "module" }')
    await write('store-event.ts', STORE_EVENT)
    for (const [name, code] of programs) await write(name, code)
  })
  afterAll(async () => await project?.[Symbol.asyncDispose]())

  async function write(name: string, code: string): Promise<void> {
    const file = path.join(project.folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }

  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, { cwd: project.folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
    )

  test('its programs compile under --strict, with the types of the frameworks', async () => {
    expect(files.length).toBeGreaterThan(9)
    const { stdout } = await typecheck(files)
    expect(stdout).toBe('')
  })

  test('handlers get the request with the type of the framework', async () => {
    await write(
      'typed.ts',
      `import { receiver as express } from '@posthorn/receiver/express'
       import { receiver as fastify } from '@posthorn/receiver/fastify'
       import { receiver as hono } from '@posthorn/receiver/hono'
       import { receiver as lambda } from '@posthorn/receiver/aws-lambda'
       import { pagesReceiver, receiver as next } from '@posthorn/receiver/next'
       import type { VerifiedRequest, WebhookEvent } from '@posthorn/receiver'
       import type { ALBHandler, APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyHandler, APIGatewayProxyHandlerV2, ALBEvent, LambdaFunctionURLEvent, LambdaFunctionURLHandler } from 'aws-lambda'
       import Express, { type Request as ExpressRequest } from 'express'
       import Fastify, { type FastifyRequest } from 'fastify'
       import { type Context, Hono } from 'hono'
       import type { NextApiHandler, NextApiRequest } from 'next'
       import type { NextRequest } from 'next/server'

       type Paid = WebhookEvent<'order.paid', { total: string }>
       type Delivery = VerifiedRequest<Paid>
       const secret = 'whsec_'

       Express().post('/:customer', express({ secret: ({ params }: ExpressRequest) => String(params['customer']) },
         ({ event }: Delivery, request: ExpressRequest) => [event.data.total, request.params['customer']]))
       Express().post('/', express<Paid>({ secret }, ({ event }) => event.data.total))
       Fastify().register(fastify({ path: '/:customer', secret }, ({ event }: Delivery, request: FastifyRequest) =>
         [event.data.total, request.params]))
       new Hono().post('/:customer', hono({ secret }, ({ event }: Delivery, context: Context) =>
         [event.data.total, context.req.param('customer')]))
       export const POST = next({ secret }, ({ event }: Delivery, request: NextRequest) =>
         [event.data.total, request.nextUrl])
       export const page: NextApiHandler = pagesReceiver({ secret }, ({ event }: Delivery, request: NextApiRequest) =>
         [event.data.total, request.query])
       export const rest: APIGatewayProxyHandler = lambda({ secret }, (_: Delivery, event: APIGatewayProxyEvent) => event.resource)
       export const http: APIGatewayProxyHandlerV2 = lambda({ secret }, (_: Delivery, event: APIGatewayProxyEventV2) => event.rawPath)
       export const url: LambdaFunctionURLHandler = lambda({ secret }, (_: Delivery, event: LambdaFunctionURLEvent) => event.rawPath)
       export const alb: ALBHandler = lambda({ secret }, (_: Delivery, event: ALBEvent) => event.path)
       interface Events { 'order.paid': { total: string }; 'order.refunded': { order: number } }
       Express().post('/typed', express<Events>({ secret }, ({ event }) => event.type === 'order.paid' ? event.data.total : event.data.order))
       Fastify().register(fastify<Events>({ path: '/typed', secret }, ({ event }) => event.type === 'order.paid' && event.data.total))
       new Hono().post('/typed', hono<Events>({ secret }, ({ event }) => event.type === 'order.paid' && event.data.total))
       next<Events>({ secret }, ({ event }) => event.type === 'order.paid' && event.data.total)
       pagesReceiver<Events>({ secret }, ({ event }) => event.type === 'order.paid' && event.data.total)
       lambda<Events>({ secret }, ({ event }) => event.type === 'order.paid' && event.data.total)
       // @ts-expect-error: a refund has no total
       next<Events>({ secret }, ({ event }) => event.type === 'order.refunded' && event.data.total)
       // @ts-expect-error: the type of the event has no such property
       lambda<Paid>({ secret }, ({ event }) => event.data.order)`,
    )
    const { stdout } = await typecheck(['typed.ts'])
    expect(stdout).toBe('')
  })

  async function typecheck(names: readonly string[]) {
    const options = ['--module', 'preserve', '--allowImportingTsExtensions', '--skipLibCheck']
    const environment = ['--lib', 'es2023,dom', '--types', 'node', '--jsx', 'preserve']
    const args = ['--ignoreConfig', '--noEmit', '--strict', ...options, ...environment, ...names]
    return await run(TSC, args)
  }

  test('its test of a receiver passes, and fails if the receiver takes every request', async () => {
    const passed = await run(process.execPath, ['--test', 'receiver.test.ts'])
    expect(passed.stdout).toMatch(/pass 2\n/)
    await write(
      'fetch.ts',
      'export const POST = async (_: Request) => new Response(null, { status: 204 })',
    )
    const failed = await run(process.execPath, ['--test', 'receiver.test.ts'])
    expect(failed.stdout).toMatch(/fail 1\n/)
  })
})
