import { type Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig, parseDuration, readEnvironment } from '../config/config.ts'
import { escapeControls } from './listen/escape-controls.ts'
import type { ListenOptions } from './listen/listen-options.ts'
import { runListener } from './listen/run-listener.ts'

/** `posthorn listen`: a local HTTPS receiver that verifies each delivery and prints it. */
export function registerListen(program: Command): void {
  program
    .command('listen')
    .summary('receive deliveries on this machine, verify and print them')
    .description(DESCRIPTION)
    .option('--port <port>', 'port on 127.0.0.1; 0 is any free one', wholeNumber(0, 65_535), 0)
    .option('--register', 'register a webhook for this receiver, and remove it at the end')
    .option(
      '--event <type...>',
      'with --register: the event types to subscribe to, repeated or separated by commas (default: event_attendee.joined_event and event_attendee.ticket_success)',
      commaSeparated,
    )
    .option(
      '--server <url>',
      'with --register: where Posthorn runs (default: as HOST and PORT say, http://127.0.0.1:4000)',
    )
    .option(
      '--key <token>',
      'with --register: an API key, phk_…, with the scopes webhooks:write and secrets:read (default: the one in <POSTHORN_DATA_DIR>/api-key)',
    )
    .option(
      '--secret <secret>',
      'verify with this signing secret, whsec_…; repeat it to accept several',
      (secret: string, earlier: string[] = []) => [...earlier, secret],
    )
    .option('--fail <n>', 'answer 500 to the first n deliveries', wholeNumber(0, 1_000_000), 0)
    .option('--status <code>', 'answer this status, 200 to 599', wholeNumber(200, 599), 200)
    .addOption(
      new Option('--delay <duration>', 'wait before answering, such as 500ms or 3s; at most 1h')
        .argParser(delay)
        .default(0, 'none'),
    )
    .option(
      '--count <n>',
      'stop after n deliveries, rejected ones included (default: at Ctrl+C)',
      wholeNumber(1, 1_000_000_000),
    )
    .option('--json', 'print one JSON value per delivery and line, and nothing else, on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ListenOptions, command: Command) => {
      try {
        await runListener(options, loadConfig(readEnvironment()).config)
      } catch (error) {
        const lines = (error as Error).message.split('\n').map(escapeControls)
        command.error(`error: ${lines.join('\n')}`, { exitCode: 1 })
      }
    })
}

const DESCRIPTION = `Receives deliveries at https://localhost:<port>/, verifies each one and prints it.

What verifies is answered 200, what does not 400; a wh-id that was accepted before gets 200 again. Without --register or --secret nothing can be verified, and everything is accepted. Deliveries are printed on stdout, all else on stderr.

The certificate is signed by <POSTHORN_DATA_DIR>/authority/ca.pem, which is made when it is missing. Posthorn trusts it by itself unless DATABASE_URL is set; then it needs
  POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem
  POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128`

const EXAMPLES = `
Examples:
  $ posthorn listen --register
  $ posthorn listen --register --event event_attendee.ticket_success --fail 2
  $ posthorn listen --port 4433 --secret whsec_… --status 503 --delay 3s
  $ posthorn listen --register --count 1 --json | jq .body

Exit status: 0 when stopped by Ctrl+C, a signal or --count; 1 with one line on stderr otherwise.`

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
  }
}

function commaSeparated(text: string, earlier: readonly string[] = []): string[] {
  const types = text.split(',').map((type) => type.trim())
  if (types.includes('')) throw new InvalidArgumentError('Give names of event types.')
  return [...new Set([...earlier, ...types])]
}

function delay(text: string): number {
  try {
    const delayMs = parseDuration(text)
    if (delayMs <= parseDuration('1h')) return delayMs
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  throw new InvalidArgumentError('Give at most 1h.')
}
