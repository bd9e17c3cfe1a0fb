import { formatBytes } from '../lib/format.ts'

/** Why a payload is not there any more, with its size if nobody has it. */
export function notKeptText(bytes: number | null | undefined): string {
  const reason = 'Not kept: the payload was delivered, and the settings keep none afterwards.'
  return bytes == null ? reason : `${reason} ${`It had ${formatBytes(bytes)}.`}`
}
