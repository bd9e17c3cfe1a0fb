import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withHeaderPrefix } from '../../../../packages/console/webhooks/secret/with-header-prefix.ts'
import { formatSecret, generateSigningKey } from '../../../../packages/receiver/src/sign.ts'
import { CASES, post, withSignature } from '../../../e2e/example-receivers/cases.ts'
import { freePort } from '../../../support/free-port.ts'
import { programPath } from '../../../support/installed-program.ts'
import { needsOptional } from '../../../support/left-out.ts'
import { type RunningProgram, startProgram } from '../../../support/running-program.ts'
import { useFolder } from '../../../support/use-folder.ts'

const SNIPPETS = path.join(
  import.meta.dirname,
  '../../../../packages/console/webhooks/secret/snippets',
)
const RECEIVER = new URL('../../../../packages/receiver/src/index.ts', import.meta.url).href

interface Language {
  readonly file: string
  /** The program that runs it, or compiles it, and its arguments. */
  readonly program: string
  args(port: number): readonly string[]
  /** Turns the snippet into a program that listens on a given port of the loopback interface. */
  complete?(snippet: string): string
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  TypeScript: {
    file: 'verify.ts',
    program: 'node',
    args: () => ['verify.ts'],
    complete: (snippet) =>
      snippet
        .replace(`'@posthorn/receiver'`, () => JSON.stringify(RECEIVER))
        .replace('.listen(3000)', `.listen(3000, '127.0.0.1')`),
  },
  Python: { file: 'verify.py', program: 'python3', args: () => ['verify.py'] },
  Go: { file: 'verify.go', program: 'go', args: () => ['run', 'verify.go'] },
  PHP: {
    file: 'verify.php',
    program: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, 'verify.php'],
  },
  Ruby: {
    file: 'verify.rb',
    program: 'ruby',
    args: () => ['verify.rb'],
    complete: (snippet) => `${RAILS}\n${snippet}\nserve(WebhooksController, 3000)`,
  },
}

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

const OLD = formatSecret(generateSigningKey())
const SECRET = formatSecret(generateSigningKey())

/** A snippet has one secret. */
const WITH_ONE_SECRET = CASES.filter(({ what }) => what !== 'the old secret')

describe.each(Object.entries(LANGUAGES))('the %s snippet', (name, language) => {
  describe.each(['wh-', 'acme-2-'])('with the header prefix %s', (prefix) => {
    describe('answers', needsOptional(language.program), async () => {
      const folder = await useFolder('snippet')
      let receiver: RunningProgram
      let url: string

      beforeAll(async () => {
        const port = await freePort()
        const text = await readFile(path.join(SNIPPETS, `${language.file}.txt`), 'utf8')
        const snippet = withHeaderPrefix(text, prefix)
        const code = language.complete?.(snippet) ?? snippet
        await writeFile(path.join(folder, language.file), code.replace('3000', String(port)))
        const program = name === 'TypeScript' ? process.execPath : programPath(language.program)
        receiver = await startProgram({
          ...{ command: [program, ...language.args(port)], cwd: folder, port },
          environment: { WEBHOOK_SECRET: SECRET },
        })
        url = `http://127.0.0.1:${port}/`
      })
      afterAll(() => receiver?.[Symbol.asyncDispose]())

      test.each(WITH_ONE_SECRET)('$what with $status', async ({ status, send }) => {
        expect(await send({ url, prefix }, [OLD, SECRET], 'msg_1')).toBe(status)
      })

      test.each([
        ['four minutes ahead', 204, { ageSeconds: -240 }],
        ['a negative timestamp', 400, { timestamp: '-5' }],
        ['an empty signature', 400, withSignature(() => 'v1,')],
        ['a signature that is not ASCII', 400, withSignature(() => 'v1,é')],
      ])('%s with %i', async (_what, status, delivery) => {
        expect(await post({ url, prefix }, SECRET, { id: 'msg_1', ...delivery })).toBe(status)
      })
    })
  })
})
