import { readFileSync } from 'node:fs'

/** The version in package.json, which has the same relative path in a clone and in the published package. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

/** The `user-agent` of every delivery. */
export const USER_AGENT = `Posthorn/${VERSION}`
