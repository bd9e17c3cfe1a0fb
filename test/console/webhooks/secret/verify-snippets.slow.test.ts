import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withHeaderPrefix } from '../../../../src/console/webhooks/secret/with-header-prefix.ts'
import { formatSecret, generateSigningKey, signDelivery } from '../../../../src/receiver/sign.ts'
import { freePort } from '../../../support/free-port.ts'
import { programPath } from '../../../support/installed-program.ts'
import { needsOptional } from '../../../support/left-out.ts'
import { until } from '../../../support/until.ts'

const SNIPPETS = path.join(import.meta.dirname, '../../../../src/console/webhooks/secret/snippets')
const RECEIVER = new URL('../../../../src/receiver/index.ts', import.meta.url).href

interface Language {
  readonly name: string
  readonly file: string
  /** The program that runs it, or compiles it. */
  readonly needs: string
  /** Turns the snippet into a program that listens on a given port of the loopback interface. */
  program(snippet: string, port: number): string
  run(file: string, port: number): readonly [command: string, ...args: string[]]
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    file: 'verify.ts',
    needs: 'node',
    program: (snippet, port) =>
      snippet
        .replace(`'@posthorn/receiver'`, () => JSON.stringify(RECEIVER))
        .replace('.listen(3000)', `.listen(${port}, '127.0.0.1')`),
    run: (file) => [process.execPath, file],
  },
  {
    name: 'Python',
    file: 'verify.py',
    needs: 'python3',
    program: (snippet, port) => snippet.replace('3000', String(port)),
    run: (file) => [programPath('python3'), file],
  },
  {
    name: 'Go',
    file: 'verify.go',
    needs: 'go',
    program: (snippet, port) => snippet.replace(':3000', `:${port}`),
    run(file) {
      const program = file.replace(/[.]go$/, '')
      execFileSync(programPath('go'), ['build', '-o', program, file], { cwd: path.dirname(file) })
      return [program]
    },
  },
  {
    name: 'PHP',
    file: 'verify.php',
    needs: 'php',
    program: (snippet) => snippet,
    run: (file, port) => [programPath('php'), '-S', `127.0.0.1:${port}`, file],
  },
  {
    name: 'Ruby',
    file: 'verify.rb',
    needs: 'ruby',
    program: (snippet, port) => `${RAILS}\n${snippet}\nserve(WebhooksController, ${port})`,
    run: (file) => [programPath('ruby'), file],
  },
]

/** The parts of Rails that the controller needs. */
const RAILS = String.raw`
require "logger"
require "socket"
module Rails; def self.logger = @logger ||= Logger.new($stderr); end
module ActionController
  class API
    attr_accessor :request, :status
    def head(status) = self.status = { bad_request: 400, no_content: 204 }.fetch(status)
  end
end
Request = Struct.new(:headers, :raw_post)
def serve(controller, port)
  server = TCPServer.new("127.0.0.1", port)
  loop do
    client = server.accept
    client.gets
    headers = {}
    while (line = client.gets) && line != "\r\n"
      name, value = line.chomp.split(": ", 2)
      headers[name.downcase] = value
    end
    action = controller.new
    action.request = Request.new(headers, client.read(headers["content-length"].to_i))
    action.create
    client.write("HTTP/1.1 #{action.status} Done\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
    client.close
  end
end`

const bytes = generateSigningKey()
const key = createSecretKey(bytes)
const other = createSecretKey(generateSigningKey())
const body = Buffer.from('{"id":"evt_1","text":"Zoë · ✓"}')
const ID = 'msg_1'

const secondsFromNow = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds)

function signed(timestamp = secondsFromNow(0), by = key) {
  return {
    'wh-id': ID,
    'wh-timestamp': timestamp,
    'wh-signature': signDelivery(by, ID, timestamp, body),
  }
}

/** Requests and expected responses. Each request is built when sent, because its time is signed. */
const DELIVERIES: readonly [what: string, answer: number, make: () => object, body?: Buffer][] = [
  ['an authentic delivery', 204, () => signed()],
  ['one that is 4 minutes old', 204, () => signed(secondsFromNow(-240))],
  ['one that is 4 minutes ahead', 204, () => signed(secondsFromNow(240))],
  [
    'several signatures, as during a rotation',
    204,
    () => {
      const good = signed()
      const old = signed(good['wh-timestamp'], other)
      return { ...good, 'wh-signature': `v2,xxx ${old['wh-signature']} ${good['wh-signature']}` }
    },
  ],
  ['another body', 400, () => signed(), Buffer.from('{"id":"evt_2"}')],
  ['another id', 400, () => ({ ...signed(), 'wh-id': 'msg_2' })],
  ['the signature of another secret', 400, () => signed(secondsFromNow(0), other)],
  ['one that is 6 minutes old', 400, () => signed(secondsFromNow(-360))],
  ['one that is 6 minutes ahead', 400, () => signed(secondsFromNow(360))],
  ['a timestamp that is not a number', 400, () => signed('12a')],
  ['a timestamp that is too large', 400, () => signed('9'.repeat(30))],
  ['a negative timestamp', 400, () => signed('-5')],
  [
    'a signature of another version',
    400,
    () => {
      const good = signed()
      return { ...good, 'wh-signature': good['wh-signature'].replace('v1,', 'v2,') }
    },
  ],
  ['an empty signature', 400, () => ({ ...signed(), 'wh-signature': 'v1,' })],
  ['a signature that is not ASCII', 400, () => ({ ...signed(), 'wh-signature': 'v1,é' })],
  ...Object.keys(signed()).map((name): [string, number, () => object] => [
    `no ${name}`,
    400,
    () => Object.fromEntries(Object.entries(signed()).filter(([header]) => header !== name)),
  ]),
]

/** The default prefix, and a custom one. */
const PREFIXES = ['wh-', 'acme-2-']

const CASES = LANGUAGES.flatMap((language) => PREFIXES.map((prefix) => ({ ...language, prefix })))

describe.each(CASES)('the $name snippet', (language) => {
  describe(`with the header prefix ${language.prefix}`, needsOptional(language.needs), () => {
    let folder: string
    let receiver: ChildProcess
    let url: string
    let log = ''

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'posthorn-snippet-'))
      const file = path.join(folder, language.file)
      const port = await freePort()
      const snippet = await readFile(path.join(SNIPPETS, `${language.file}.txt`), 'utf8')
      const code = withHeaderPrefix(snippet, language.prefix)
      await writeFile(file, language.program(code, port))
      const [command, ...args] = language.run(file, port)
      receiver = spawn(command, args, {
        cwd: folder,
        env: { ...process.env, WEBHOOK_SECRET: formatSecret(bytes) },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      receiver.stderr?.on('data', (text) => {
        log += text
      })
      url = `http://127.0.0.1:${port}/`
      await until(
        () => post({}, body).then(Boolean, () => false),
        `${language.name} listens`,
        60_000,
      )
    })

    afterAll(async () => {
      receiver.kill()
      if (receiver.exitCode === null && receiver.signalCode === null) await once(receiver, 'exit')
      await rm(folder, { recursive: true })
    })

    function prefixed(headers: object) {
      return Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name.replace('wh-', language.prefix),
          value,
        ]),
      )
    }

    async function post(headers: object, content: Buffer): Promise<number> {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...prefixed(headers) },
        body: new Uint8Array(content),
      })
      return response.status
    }

    test.each(DELIVERIES)('answers %s with %i', async (_what, answer, make, content = body) => {
      const status = await post(make(), content).catch((error) => `${error.cause ?? error}\n${log}`)
      expect(status).toBe(answer)
    })
  })
})
