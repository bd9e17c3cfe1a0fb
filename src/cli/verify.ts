import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { verify } from '../receiver/index.ts'
import { action, collect, print, readInput } from './command.ts'

interface VerifyOptions {
  readonly secret: string[]
  readonly id?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly headers?: string
  readonly at?: Date
  readonly json?: boolean
}

/** `posthorn verify`: verifies one delivery, exactly as a receiver does. */
export function registerVerify(program: Command): void {
  program
    .command('verify')
    .summary('verify the signature of one delivery')
    .description(
      'Verifies one delivery as a receiver does: its three headers, its signature, and that its timestamp is at most 300 seconds from now. The body must be the raw bytes as received. Exit status: 0 if the delivery is authentic, otherwise 1.',
    )
    .requiredOption(
      '--secret <secret>',
      'the signing secret, whsec_…; repeat the option to accept several',
      collect,
    )
    .option('--id <id>', 'the value of wh-id')
    .option('--timestamp <seconds>', 'the value of wh-timestamp')
    .option('--signature <signature>', 'the value of wh-signature')
    .addOption(
      new Option(
        '--headers <file>',
        'in place of the three: a file with all headers, one "name: value" per line, such as those of listen --save',
      ).conflicts(['id', 'timestamp', 'signature']),
    )
    .option('--at <time>', 'compare the timestamp with this RFC 3339 time (default: now)', readTime)
    .argument('[file]', 'a file with the raw body; - or no file reads standard input', '-')
    .option('--json', 'print {"ok":true,…} or {"ok":false,"reason":"…","message":"…"}')
    .action(
      action(async (file: string, options: VerifyOptions) => {
        const headers = await readHeaders(options)
        const now = options.at === undefined ? {} : { now: options.at }
        const result = await verify(await readInput(file), headers, options.secret, now)
        const text = result.ok
          ? `authentic: ${result.id}`
          : `rejected (${result.reason}): ${result.message}`
        print(options.json, result, text)
        if (!result.ok) process.exitCode = 1
      }),
    )
}

/** The three headers by the names of the default prefix. */
async function readHeaders(options: VerifyOptions): Promise<Record<string, string | undefined>> {
  if (options.headers === undefined) {
    const missing = (['id', 'timestamp', 'signature'] as const).find(
      (name) => options[name] === undefined,
    )
    if (missing) throw new Error(`--${missing} is required, or --headers with all three.`)
    const { id, timestamp, signature } = options
    return { 'wh-id': id, 'wh-timestamp': timestamp, 'wh-signature': signature }
  }
  const lines = (await readFile(options.headers, 'utf8')).split(/\r?\n/)
  const headers = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name.toLowerCase(), value.trim()]]
    }),
  )
  const prefix = prefixOf(Object.keys(headers))
  if (prefix === undefined) {
    throw new Error(`${options.headers} has no headers of a signed delivery, such as wh-id.`)
  }
  const names = ['id', 'timestamp', 'signature']
  return Object.fromEntries(names.map((name) => [`wh-${name}`, headers[`${prefix}${name}`]]))
}

/** The prefix of a signed delivery's headers: `wh-`, or what the operator chose (POSTHORN_HEADER_PREFIX). */
function prefixOf(lowerCaseNames: readonly string[]): string | undefined {
  return lowerCaseNames
    .map((name) => /^(.*)signature$/.exec(name)?.[1])
    .find((prefix) =>
      ['id', 'timestamp'].every((end) => lowerCaseNames.includes(`${prefix}${end}`)),
    )
}

function readTime(text: string): Date {
  const time = parseRfc3339(text)
  if (!time) throw new InvalidArgumentError('Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.')
  return time
}
