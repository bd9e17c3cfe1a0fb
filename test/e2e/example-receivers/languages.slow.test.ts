import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuthority } from '../../outbound/certificates.ts'
import { outcome, publishEvent, registerWebhook } from '../../receiver/support/deliveries.ts'
import { startTlsFront, type TlsFront } from '../../receiver/support/tls-front.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { freePort } from '../../support/free-port.ts'
import { leftOutFor, needs, needsOptional } from '../../support/left-out.ts'
import { startProgram } from '../../support/running-program.ts'
import { until } from '../../support/until.ts'
import { useFolder } from '../../support/use-folder.ts'
import { CASES, post, type Secrets } from './cases.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const EXAMPLES = path.join(ROOT, 'examples/receivers')
const CARGO = path.join(ROOT, 'node_modules/.cache/cargo')

/** The languages of the README, each with the programs of its command. CI installs some of the programs. */
const LANGUAGES = {
  Python: needs('python3'),
  Go: needsOptional('go'),
  Ruby: needs('ruby'),
  PHP: needs('php'),
  Java: needsOptional('java'),
  'C#': needsOptional('dotnet'),
  'C# with Mono': needs('mcs', 'mono'),
  Rust: needsOptional('cargo'),
}

const full = leftOutFor(existsSync('/dev/full') ? null : 'this system has no /dev/full')

const folder = await useFolder('receivers')
let posthorn: TestApp
let front: TlsFront
let commands: ReadonlyMap<string, string>

beforeAll(async () => {
  await cp(EXAMPLES, folder, { recursive: true })
  commands = await readCommands()
  const authority = await createTestAuthority()
  front = await startTlsFront(authority)
  posthorn = await startTestApp({ trustedAuthorities: [authority.pem] })
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
  await front?.[Symbol.asyncDispose]()
})

/** The command of each language in the README. */
async function readCommands(): Promise<ReadonlyMap<string, string>> {
  const readme = await readFile(path.join(EXAMPLES, 'README.md'), 'utf8')
  const rows = readme.matchAll(/^\| \[([^\]]+)\].*\| `([^`]+)` \|$/gm)
  return new Map([...rows].map(([, name = '', command = '']) => [name, command]))
}

type ReceiverProgram = Awaited<ReturnType<typeof startReceiver>>

async function startReceiver(command: string, secret: string) {
  const port = await freePort()
  const program = await startProgram({
    command: ['bash', '-c', command],
    cwd: folder,
    port,
    environment: { PORT: String(port), WEBHOOK_SECRET: secret, CARGO_TARGET_DIR: CARGO },
  })
  const url = `http://127.0.0.1:${port}/`
  return { program, port, url, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

test('every language of the README is tested', async () => {
  expect([...(await readCommands()).keys()]).toEqual(Object.keys(LANGUAGES))
})

describe.each(Object.entries(LANGUAGES))('%s', (name, options) => {
  describe('receives', options, () => {
    let webhookId: string
    let secrets: Secrets
    let receiver: ReceiverProgram

    beforeAll(async () => {
      const registered = await registerWebhook(posthorn, `${front.url}/hooks`)
      ;({ webhookId } = registered)
      const rotated = await posthorn.rest('POST', `/webhooks/${webhookId}/secret/rotate`)
      secrets = [registered.secret, (await rotated.json()).key]
      receiver = await startReceiver(commands.get(name) ?? '', secrets.join(' '))
      front.port = receiver.port
    })
    afterAll(async () => {
      await receiver?.[Symbol.asyncDispose]()
      if (webhookId) await posthorn.rest('DELETE', `/webhooks/${webhookId}`)
    })

    /** The bodies that were processed with this id. */
    const processed = (id: string) =>
      receiver.program.stdout
        .split('\n')
        .filter((line) => line.startsWith(`${id} `))
        .map((line) => line.slice(id.length + 1))

    test('a real delivery, signed with the new secret of a rotation', async () => {
      const data = { text: `Zoë "✓" \\ ${name} 👋` }
      const event = await publishEvent(posthorn, data)
      const { id, state } = await outcome(posthorn, event)
      expect(state).toBe('SUCCEEDED')
      await until(() => processed(id).length > 0, 'the receiver prints the delivery')
      expect(JSON.parse(processed(id)[0] ?? '')).toMatchObject({ type: JOINED, data })
    })

    test('a real test delivery, which it does not process', async () => {
      const { testDelivery } = await posthorn.graphql(
        `mutation ($id: ID!) { testDelivery(id: $id, input: { eventType: "${JOINED}" }) {
          ... on TestDeliverySuccess { delivery { event { id } } } } }`,
        { id: webhookId },
      )
      const { id, state } = await outcome(posthorn, testDelivery.delivery.event.id)
      expect(state).toBe('SUCCEEDED')
      expect(processed(id)).toEqual([])
    })

    describe.each(CASES)('$what', ({ what, status, send }) => {
      test(`is answered with ${status}`, async () => {
        const id = `msg_${what.replaceAll(/[^a-z]+/g, '_')}`
        expect(await send(receiver, secrets, id)).toBe(status)
        if (status !== 204) return expect(processed(id)).toEqual([])
        await expect.poll(() => processed(id)).toHaveLength(1)
      })
    })

    test('a delivery that it cannot process, until it can', full, async () => {
      // Every write to this device fails.
      const command = `${commands.get(name)} > /dev/full`
      await using failing = await startReceiver(command, secrets[1])
      const send = (to: ReceiverProgram) => post(to, secrets[1], { id: 'msg_failed' })
      expect([await send(failing), await send(failing)]).toEqual([500, 500])
      expect(await send(receiver)).toBe(204)
      await expect.poll(() => processed('msg_failed')).toHaveLength(1)
    })

    test.each(['', 'whsec_', 'secret'])('nothing with the secret "%s"', async (secret) => {
      const start = startReceiver(commands.get(name) ?? '', secret)
      await expect(start).rejects.toThrow('Set WEBHOOK_SECRET to the signing secret: whsec_')
    })

    test('no body larger than Posthorn sends, and then the largest', async () => {
      const body = (bytes: number) => JSON.stringify({ pad: 'x'.repeat(bytes - 10) })
      const send = (id: string, bytes: number) =>
        post(receiver, secrets[1], { id, body: body(bytes) })
      // A receiver that closes the connection before it has read the body resets it.
      const tooLarge = await send('msg_too_large', 257 * 1024 + 1).catch(() => 413)
      expect(tooLarge).toBe(413)
      expect(await send('msg_largest', 257 * 1024)).toBe(204)
      await expect.poll(() => processed('msg_largest')).toHaveLength(1)
      expect(processed('msg_too_large')).toEqual([])
    })
  })
})
