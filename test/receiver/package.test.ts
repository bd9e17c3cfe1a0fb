import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReceiverProject, type ReceiverProject } from './support/packed-receiver.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const execute = promisify(execFile)
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'))

/** A project that has nothing but the packed package. */
let project: ReceiverProject

beforeAll(async () => {
  project = await createReceiverProject()
})
afterAll(async () => await project?.[Symbol.asyncDispose]())

test('the package has the license of Posthorn, and no dependencies', async () => {
  const { license } = await readJson(path.join(ROOT, 'packages/client/package.json'))
  const manifest = await readJson(path.join(project.installed, 'package.json'))
  expect(manifest).toMatchObject({ license, sideEffects: false, engines: { node: '>=20' } })
  const lists = Object.keys(manifest).filter((name) => /dependencies/i.test(name))
  expect(lists).toEqual([])
})

test('the package has compiled files, and no sources', () => {
  expect(project.packed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/cjs/index.js']),
  )
  expect(project.packed.filter((file) => !/^dist\/.*\.(js|d\.ts)$/.test(file)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/cjs/package.json',
    'package.json',
  ])
})

describe.each([
  ['ES modules', 'dist'],
  ['CommonJS', 'dist/cjs'],
])('%s', (_, folder) => {
  test('what verify, verifyRequest and sign load is at most 4 KB compressed', async () => {
    const files = await loadedBy(path.join(project.installed, folder, 'index.js'))
    const code = await Promise.all(files.map((file) => readFile(file)))
    const size = gzipSync(Buffer.concat(code), { level: 9 }).length
    expect(code.join('')).toContain('HMAC')
    expect(size).toBeLessThanOrEqual(4_096)
  })

  test('it loads files of the package only, whichever entry is imported', async () => {
    const entries = project.packed.filter((file) => entry(folder).test(file))
    expect(entries).toHaveLength(6)
    for (const file of entries) {
      const files = await loadedBy(path.join(project.installed, file))
      expect(files.every((one) => one.startsWith(project.installed))).toBe(true)
    }
  })
})

const entry = (folder: string) =>
  new RegExp(`^${folder}/(index|frameworks/(aws-lambda|express|fastify|hono|next))\\.js$`)

test('it is found by its name, and by the name of each adapter, by import and by require', async () => {
  const names = Object.keys((await readJson(path.join(project.installed, 'package.json'))).exports)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => path.posix.join('@posthorn/receiver', name))
  expect(names).toHaveLength(6)
  const required = createRequire(pathToFileURL(path.join(project.folder, 'x.js')))
  for (const name of names) {
    const source = `console.log(Object.keys(await import('${name}')).toSorted().join())`
    const args = ['--input-type=module', '-e', source]
    const { stdout } = await execute(process.execPath, args, { cwd: project.folder })
    expect(stdout.trim()).toMatch(/\breceiver\b|verifyRequest/)
    expect(Object.keys(required(name)).toSorted().join()).toBe(stdout.trim())
  }
})

describe('its types', () => {
  const CONSUMER = `
    import { type DeliveryStore, type EventOf, sign, type Verification, verify, verifyRequest, type WebhookEvent } from '@posthorn/receiver'
    declare const process: { env: Record<string, string | undefined> }
    declare const headers: Record<string, string | string[] | undefined>
    export const result: Promise<Verification> = verify(new Uint8Array(), headers, process.env.WEBHOOK_SECRET)
    type Events = WebhookEvent<'order.paid', { total: string }> | WebhookEvent<'order.refunded', { order: number }>
    export async function receive(request: Parameters<typeof verifyRequest>[0]) {
      const delivery = await verifyRequest<Events>(request, { secret: [process.env.A, process.env.B] })
      if (!delivery.ok) return delivery.status
      if (delivery.event.type === 'order.paid') return delivery.event.data.total
      // @ts-expect-error: a refund has no total
      return delivery.event.data.total
    }
    interface Catalogue { 'order.paid': { total: string }; 'order.refunded': { order: number }; 'note.written': unknown }
    export async function receiveTyped(request: Parameters<typeof verifyRequest>[0]) {
      const results = [
        await verify<Catalogue>('', headers, 'whsec_'),
        await verifyRequest<Catalogue>(request, { secret: 'whsec_' }),
      ] as const
      for (const delivery of results) {
        // @ts-expect-error: a rejected delivery has no event
        delivery.event
        if (!delivery.ok) return delivery.reason
        const { event } = delivery
        switch (event.type) {
          case 'order.paid': return [event.id, event.timestamp, event.data.total satisfies string]
          case 'order.refunded': return [event.data.order satisfies number,
            // @ts-expect-error: a refund has no total
            event.data.total]
          // @ts-expect-error: there is no such event type
          case 'order.lost': return null
          case 'note.written': return event.data
        }
        event satisfies never
      }
      return null
    }
    export const saveOrder = ({ data }: Extract<EventOf<Catalogue>, { type: 'order.paid' }>) => data.total
    export const general: Promise<WebhookEvent | null> = verify('', headers, 'whsec_').then((one) => one.ok ? one.event : null)
    export const other = async (one: Promise<Verification<{ type: string; body: number }>>) => {
      const result = await one
      return result.ok ? result.event.body : 0
    }
    export const signature: Promise<string> = sign('whsec_', 'msg_1', new Date(), '{}')
    // @ts-expect-error: without remove, the retry of a delivery whose handler failed would be lost
    export const store: DeliveryStore = { add: () => true, confirm() {} }
    // @ts-expect-error: a body that was parsed
    verify({ id: 'evt_1' }, headers, 'whsec_')
  `

  test.each(['consumer.mts', 'consumer.cts'])(
    'are complete without those of Node or of a browser: %s',
    async (name) => {
      await writeFile(path.join(project.folder, name), CONSUMER)
      await typecheck(name, ['--module', 'nodenext', '--lib', 'es2023', '--types', ''])
    },
  )
})

async function typecheck(file: string, options: readonly string[]): Promise<void> {
  const args = ['--ignoreConfig', '--noEmit', '--strict', ...options, file]
  const { stdout } = await execute(path.join(ROOT, 'node_modules/.bin/tsc'), args, {
    cwd: project.folder,
  }).catch(({ stdout }: { stdout: string }) => ({ stdout }))
  expect(stdout).toBe('')
}

/** A file, and all files that it imports or requires, directly or indirectly. */
async function loadedBy(file: string, loaded: string[] = []): Promise<string[]> {
  if (loaded.includes(file)) return loaded
  loaded.push(file)
  const code = await readFile(file, 'utf8')
  for (const [, specifier = ''] of code.matchAll(
    /(?:\bfrom|\bimport|\brequire\()\s*["'`]([^"'`]+)["'`]/g,
  )) {
    expect(specifier).toMatch(/^\.\.?\//)
    await loadedBy(path.resolve(path.dirname(file), specifier), loaded)
  }
  return loaded
}
