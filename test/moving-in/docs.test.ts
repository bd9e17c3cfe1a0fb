import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecondSigner } from '../../src/webhooks/signatures/second-signer.ts'
import { signatureFields } from '../../src/webhooks/signatures/signature-fields.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import type { JsonServer } from './support/json-server.ts'
import { startOutpostServer } from './support/outpost-server.ts'
import { startSvixServer } from './support/svix-server.ts'

const PAGE = readFileSync(
  fileURLToPath(new URL('../../docs/guides/moving-in.md', import.meta.url)),
  'utf8',
)
const TOKEN = 'token'

const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  )

let folder: string
let posthorn: TestApp
let svix: JsonServer
let outpost: JsonServer

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn moving in '))
  posthorn = await startTestApp({ role: 'api' })
  svix = await startSvixServer(TOKEN, [{ id: 'app_1', endpoints: [] }])
  outpost = await startOutpostServer(TOKEN, [{ id: 'tenant_1', destinations: [] }])
  for (const name of ['svix-token', 'outpost-token'])
    await writeFile(path.join(folder, name), TOKEN)
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await svix[Symbol.asyncDispose]()
  await outpost[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))

test.each(commands)('%s', async (command) => {
  const [program, ...args] = command.split(' ')
  expect(program).toBe('posthorn')
  const [url, given] = command.includes('svix')
    ? [svix.url, args]
    : [`${outpost.url}/api/v1`, args.filter((arg) => arg !== '--url' && !arg.startsWith('https:'))]
  const { code, stdout, stderr } = await runPosthorn([...given, '--url', url], {
    environment: testEnvironment(posthorn.database.url),
    cwd: folder,
  })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/organization (app_1|tenant_1)/)
})

test('the mutation of the page registers a webhook, and changes nothing when it is sent again', async () => {
  const [mutation = ''] = blocks('graphql')
  const first = await posthorn.graphql(mutation)
  expect(first.upsertWebhook).toMatchObject({
    created: true,
    webhook: { secondSignature: { header: 'X-Acme-Signature' } },
  })
  const second = await posthorn.graphql(mutation)
  expect(second.upsertWebhook).toMatchObject({ created: false, changed: false })
})

test('the files of the page are saved exports', async () => {
  const files = blocks('json')
  expect(files).toHaveLength(2)
  for (const [index, text] of files.entries()) {
    const sender = index === 0 ? 'svix' : 'outpost'
    const file = path.join(folder, `${sender}.json`)
    await writeFile(file, text)
    const { stdout, code } = await runPosthorn(['import-from', sender, file, '--json'], {
      environment: testEnvironment(posthorn.database.url),
    })
    expect(code, stdout).toBe(0)
    const [, webhook] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(webhook).toMatchObject({ kind: 'webhook', outcome: 'created', lacks: [] })
  }
})

const ROW = /^\| ([\w ,]+) \| `([\w-]+)` \| (SHA\d+), (HEX|BASE64) \| `([^`]+)` \| `([^`]+)` \|$/gm
const rows = [...PAGE.matchAll(ROW)].map(([, ...cells]) => cells as string[])

test('the table of schemes has six rows', () => expect(rows).toHaveLength(6))

test.each(rows)('a signature as that of %s', (...row) => {
  const [, header = '', algorithm = '', encoding = '', content = '', value = ''] = row
  const given = {
    header,
    algorithm: algorithm.toLowerCase(),
    encoding: encoding.toLowerCase(),
    content,
    value,
  }
  const rule = signatureFields.secondSignature.parse({ ...given, secret: 'key' })
  if (!rule) throw new Error('There is no rule.')
  const signed = createSecondSigner(rule, Buffer.from('key')).sign(
    'msg_1',
    '1700000000',
    Buffer.from('{}'),
  )
  const fill = (text: string) => text.replace('{timestamp}', '1700000000').replace('{body}', '{}')
  const hmac = createHmac(given.algorithm, 'key').update(fill(content))
  expect(signed).toBe(fill(value).replace('{signature}', hmac.digest(given.encoding as 'hex')))
})
