import { type Command, InvalidArgumentError } from 'commander'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { verify } from '../receiver/index.ts'
import { readInput } from './read-input.ts'
import { print, runCommand } from './run-command.ts'

interface VerifyOptions {
  readonly secret: string[]
  readonly id: string
  readonly timestamp: string
  readonly signature: string
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
      (secret: string, previous: string[] = []) => [...previous, secret],
    )
    .requiredOption('--id <id>', 'the value of wh-id')
    .requiredOption('--timestamp <seconds>', 'the value of wh-timestamp')
    .requiredOption('--signature <signature>', 'the value of wh-signature')
    .option('--at <time>', 'compare the timestamp with this RFC 3339 time (default: now)', readTime)
    .argument('[file]', 'a file with the raw body; - or no file reads standard input', '-')
    .option('--json', 'print {"ok":true,…} or {"ok":false,"reason":"…","message":"…"}')
    .action(async (file: string, options: VerifyOptions) => {
      await runCommand(async () => {
        const headers = {
          'wh-id': options.id,
          'wh-timestamp': options.timestamp,
          'wh-signature': options.signature,
        }
        const now = options.at === undefined ? {} : { now: options.at }
        const result = await verify(await readInput(file), headers, options.secret, now)
        const text = result.ok
          ? `authentic: ${result.id}`
          : `rejected (${result.reason}): ${result.message}`
        print(options.json, result, text)
        if (!result.ok) process.exitCode = 1
      })
    })
}

function readTime(text: string): Date {
  const time = parseRfc3339(text)
  if (!time) throw new InvalidArgumentError('Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.')
  return time
}
