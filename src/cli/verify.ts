import type { Command } from 'commander'
import { verify } from '../receiver/index.ts'
import { readInput } from './read-input.ts'
import { print, runCommand } from './run-command.ts'

interface VerifyOptions {
  readonly secret: string[]
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly at?: string
  readonly json?: boolean
}

/** `posthorn verify`: checks one delivery by hand, exactly as a receiver does. */
export function registerVerify(program: Command): void {
  program
    .command('verify')
    .summary('check the signature of one delivery')
    .description(
      'Checks one delivery as a receiver does: its three headers, its age and its signature. The body must be the raw bytes received. Exit status: 0 when it is authentic, 1 when not.',
    )
    .requiredOption(
      '--secret <secret>',
      'the signing secret, whsec_…; repeat it to accept several',
      (secret: string, earlier: string[] = []) => [...earlier, secret],
    )
    .requiredOption('--id <id>', 'the value of wh-id')
    .requiredOption('--timestamp <seconds>', 'the value of wh-timestamp')
    .requiredOption('--signature <signature>', 'the value of wh-signature')
    .option('--at <time>', 'judge its freshness as of this RFC 3339 time (default: now)')
    .argument('[file]', 'the raw body; - or nothing reads standard input', '-')
    .option('--json', 'print {"ok":true,…} or {"ok":false,"reason":"…","message":"…"}')
    .action(async (file: string, options: VerifyOptions) => {
      await runCommand(async () => {
        const headers = {
          'wh-id': options.id,
          'wh-timestamp': options.timestamp,
          'wh-signature': options.signature,
        }
        const now = options.at === undefined ? {} : { now: new Date(options.at) }
        const result = await verify(await readInput(file), headers, options.secret, now)
        const words = result.ok
          ? `authentic: ${result.id}`
          : `rejected (${result.reason}): ${result.message}`
        print(options.json, result, words)
        if (!result.ok) process.exitCode = 1
      })
    })
}
