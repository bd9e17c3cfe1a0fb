import { type Command, InvalidArgumentError, Option } from 'commander'
import { verify } from '../../packages/receiver/src/index.ts'
import { action, collect, commaSeparated } from './command.ts'
import { forwardDeliveries } from './listen/forward.ts'
import { type ListenOptions, receiveDeliveries } from './listen/receive.ts'
import { loadClientConfig, withServerOptions } from './server-command.ts'

/** `posthorn listen`: a local HTTPS receiver that verifies each delivery and prints it. */
export function registerListen(program: Command): void {
  withServerOptions(
    program.command('listen'),
    'the scopes webhooks:write and secrets:rotate, or events:read and webhooks:write with --forward',
    'with --register or --forward: ',
  )
    .description(DESCRIPTION)
    .option(
      '--port <port>',
      'the port on 127.0.0.1; 0 selects a free one',
      wholeNumber(0, 65_535),
      0,
    )
    .option('--register', 'register a webhook for this receiver, and delete it at the end')
    .addOption(
      new Option(
        '--forward <url>',
        'pull the events that are published from now on, and send each, signed, to your own server, such as http://localhost:3000/hooks; Posthorn may run anywhere',
      )
        .argParser(localUrl)
        .conflicts(['register', 'port', 'fail', 'status']),
    )
    .addOption(
      new Option(
        '--replay <id>',
        'with --forward: send this stored delivery, msg_…, or event, evt_…, once more, newly signed, and stop',
      ).conflicts(['event', 'count']),
    )
    .option(
      '--insecure',
      'with --forward: accept any certificate of your server, such as one that it signed itself',
    )
    .option(
      '--save <folder>',
      'with --forward: save each delivery as two files, for posthorn verify and curl',
    )
    .option(
      '--event <type...>',
      'with --register or --forward: the event types, repeated or separated by commas (default: all)',
      commaSeparated,
    )
    .option(
      '--secret <secret>',
      'a signing secret to verify with, whsec_…; repeat the option to accept several. With --forward, the one to sign with (default: a new one)',
      collect,
    )
    .option(
      '--fail <n>',
      'respond with 500 to the first n deliveries, not counting rejected ones',
      wholeNumber(0, 1_000_000),
      0,
    )
    .option('--status <code>', 'respond with this status, 200 to 599', wholeNumber(200, 599), 200)
    .option(
      '--count <n>',
      'stop after n deliveries, including rejected ones (default: stop at Ctrl+C)',
      wholeNumber(1, 1_000_000_000),
    )
    .option('--json', 'print each delivery as one line of JSON, and nothing else on stdout')
    .addHelpText('after', EXAMPLES)
    .action(
      action(async (options: ListenOptions) => {
        await checkOptions(options)
        await (options.forward ? forwardDeliveries : receiveDeliveries)(options, loadClientConfig())
      }),
    )
}

/** Throws for options that have no effect together, and for a malformed secret. */
async function checkOptions(options: ListenOptions): Promise<void> {
  const forForward = (['replay', 'save', 'insecure'] as const).find(
    (name) => options[name] !== undefined,
  )
  if (forForward && !options.forward) throw new Error(`--${forForward} requires --forward.`)
  const forServer = (['event', 'server', 'keyFile'] as const).find((name) => options[name])
  if (forServer && !options.register && !options.forward) {
    const name = forServer === 'keyFile' ? 'key-file' : forServer
    throw new Error(`--${name} requires --register or --forward.`)
  }
  // Throws for a malformed secret, with a message that does not contain the secret.
  if (options.secret) await verify('', {}, options.secret)
}

const DESCRIPTION = `Receives, verifies and prints deliveries on this machine.

With --forward, pulls the events of the organization and sends each to your own server, with the bytes of a delivery and the same headers, signed on this machine. It needs no tunnel and no certificate: the command connects to Posthorn and to your server. The secret is printed at the start. No webhook and no attempt is stored.

Without --forward, receives deliveries at https://localhost:<port>/, verifies each one and prints it.

A verified delivery gets 200, any other 400. A delivery whose wh-id was accepted before gets 200 again. Without --register or --secret, deliveries are accepted without verification. Deliveries are printed on stdout, all other messages on stderr.

The certificate is signed by <POSTHORN_DATA_DIR>/authority/ca.pem, which is created if it is missing. Posthorn trusts it automatically unless DATABASE_URL is set; then it needs
  POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem
With DATABASE_URL, or with a HOST that is not a loopback address, it also needs
  POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128`

const EXAMPLES = `
Examples:
  $ posthorn listen --forward http://localhost:3000/hooks
  $ posthorn listen --forward http://localhost:3000/hooks --server https://posthorn.example.com --key-file key.txt
  $ posthorn listen --forward http://localhost:3000/hooks --replay msg_…
  $ posthorn listen --register
  $ posthorn listen --register --event event_attendee.ticket_success --fail 2
  $ posthorn listen --port 4433 --secret whsec_… --status 503
  $ posthorn listen --register --count 1 --json | jq .body

Exit status: 0 when stopped by Ctrl+C, a signal or --count, and after --replay if the answer was 2xx; otherwise 1, with one line on stderr.`

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`)
  }
}

function localUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give an http:// or https:// URL.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Remove the user name and the password: deliveries have none.')
  }
  return url
}
