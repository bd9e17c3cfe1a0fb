import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { verify } from '../../packages/receiver/src/index.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { collect, printing, readInput } from './command.ts'

interface VerifyOptions {
  readonly secret: string[]
  readonly headers: string
  readonly at?: Date
}

/** `posthorn verify`: verifies one delivery, exactly as a receiver does. */
export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'Verifies one delivery as a receiver does: its three headers, its signature, and that its timestamp is at most 300 seconds from now. The body must be the raw bytes as received. Exit status: 0 if the delivery is authentic, otherwise 1.',
    )
    .requiredOption(
      '--secret <secret>',
      'the signing secret, whsec_…; repeat the option to accept several',
      collect,
    )
    .requiredOption(
      '--headers <file>',
      'a file with the headers, one "name: value" per line, such as those of listen --save',
    )
    .option('--at <time>', 'compare the timestamp with this RFC 3339 time (default: now)', readTime)
    .argument('[file]', 'a file with the raw body; - or no file reads standard input', '-')
    .option('--json', 'print {"ok":true,…} or {"ok":false,"reason":"…","message":"…"}')
    .action(
      printing(async (file: string, options: VerifyOptions) => {
        const headers = parseHeaders(await readFile(options.headers, 'utf8'))
        const result = await verify(await readInput(file), headers, options.secret, {
          headerPrefix: prefixOf(headers),
          ...(options.at && { now: options.at }),
        })
        const text = result.ok
          ? `authentic: ${result.id}`
          : `rejected (${result.reason}): ${result.message}`
        if (!result.ok) process.exitCode = 1
        return [result, text]
      }),
    )
}

function parseHeaders(text: string): Record<string, string> {
  const lines = text.matchAll(/^([^:\n]+):(.*)$/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', value = '']) => [name.toLowerCase(), value.trim()]),
  )
}

/** `wh-`, or what the operator chose (POSTHORN_HEADER_PREFIX). */
function prefixOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(headers)
    .flatMap((name) => /^(.*)signature$/.exec(name)?.[1] ?? [])
    .find((prefix) => `${prefix}id` in headers)
}

function readTime(text: string): Date {
  const time = parseRfc3339(text)
  if (!time) throw new InvalidArgumentError('Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.')
  return time
}
