import path from 'node:path'
import { styleText } from 'node:util'
import { SCOPES } from '../access/scope.ts'

interface Welcome {
  readonly url: string
  /** The token of the key that was just made, or null when that was earlier. */
  readonly token: string | null
  readonly keyFile: string
  /** What opens the console once, within the hour; or null when the key is no longer valid. */
  readonly signInLink: string | null
}

/** What the embedded mode says when it is ready: where it is, and a call to paste. The key is shown once. */
export function welcome({ url, token, keyFile, signInLink }: Welcome): string {
  const shownFile = path.relative(process.cwd(), keyFile) || keyFile
  const lines = [
    '',
    `${styleText('bold', 'Posthorn')} is ready at ${styleText('cyan', url)}`,
    '',
    `  Console   ${consoleUrl(url, signInLink)}`,
    `  GraphQL   ${url}/graphql`,
    `  REST      ${url}/api/connect/v1/webhooks`,
    `  OpenAPI   ${url}/openapi.json`,
    '',
    ...(token !== null ? firstStart(url, token, shownFile) : laterStart(signInLink, shownFile)),
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** The fragment stays in the browser: it is in no log. */
function consoleUrl(url: string, signInLink: string | null): string {
  return signInLink === null ? `${url}/console` : `${url}/console/sign-in#link=${signInLink}`
}

function laterStart(signInLink: string | null, file: string): string[] {
  if (signInLink !== null) return [`The API key of the first start is in ${file}.`]
  return [
    `The API key of the first start is no longer valid, or not in ${file} any more. Make another one:`,
    '',
    '  npx posthorn organization list',
    `  npx posthorn key create --organization org_… --scope ${SCOPES.join(',')}`,
  ]
}

function firstStart(url: string, token: string, file: string): string[] {
  return [
    `This is the first start, so there is one organization, with an API key that may do everything:`,
    '',
    `  ${styleText('green', token)}`,
    '',
    `It is shown once, and kept in ${file} for the commands. Try it:`,
    '',
    `  curl ${url}/api/connect/v1/webhooks -H 'Authorization: Bearer ${token}'`,
    '',
    'See a signed delivery arrive, from a second terminal:',
    '',
    '  npx posthorn listen --register',
  ]
}
