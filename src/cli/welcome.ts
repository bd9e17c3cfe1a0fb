import path from 'node:path'
import { styleText } from 'node:util'
import { SCOPES } from '../access/scope.ts'

interface Welcome {
  readonly url: string
  /** The token of the API key, or `null` unless this start created it. */
  readonly token: string | null
  readonly keyFile: string
  /** The token of a link that signs in to the console once within an hour, or `null` if the API key is invalid. */
  readonly signInLink: string | null
  /** The URL of the embedded Postgres, with its password. */
  readonly databaseUrl: string
}

/** The message of embedded mode when it is ready. Contains the API key only on the first start. */
export function welcome({ url, token, keyFile, signInLink, databaseUrl }: Welcome): string {
  const relativeFile = path.relative(process.cwd(), keyFile) || keyFile
  const lines = [
    '',
    `${styleText('bold', 'Posthorn')} is ready at ${styleText('cyan', url)}`,
    '',
    `  Console   ${consoleUrl(url, signInLink)}`,
    `  GraphQL   ${url}/graphql`,
    `  REST      ${url}/api/connect/v1/webhooks`,
    `  OpenAPI   ${url}/openapi.json`,
    `  Postgres  ${databaseUrl}`,
    '',
    ...(token !== null
      ? firstStart(url, token, relativeFile)
      : laterStart(signInLink, relativeFile)),
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** Browsers do not send the fragment to the server, so the token appears in no log. */
function consoleUrl(url: string, signInLink: string | null): string {
  return signInLink === null ? `${url}/console` : `${url}/console/sign-in#link=${signInLink}`
}

function laterStart(signInLink: string | null, file: string): string[] {
  if (signInLink !== null) return [`The API key is in ${file}.`]
  return [
    `The API key in ${file} is missing or no longer valid. Create another one:`,
    '',
    `  npx posthorn key create --scope ${SCOPES.join(',')}`,
  ]
}

function firstStart(url: string, token: string, file: string): string[] {
  return [
    `Created an organization and an API key with all scopes:`,
    '',
    `  ${styleText('green', token)}`,
    '',
    `The key is shown only once and stored in ${file} for the commands. Try it:`,
    '',
    `  curl ${url}/api/connect/v1/webhooks -H 'Authorization: Bearer ${token}'`,
    '',
    'Receive a signed delivery in a second terminal:',
    '',
    '  npx posthorn listen --register',
    '',
    'Publish an event in a third one:',
    '',
    `  npx posthorn publish event_attendee.joined_event '{"attendee":"Ada"}'`,
  ]
}
