import type { Command } from 'commander'
import { REPLACEMENT_CHARACTER } from '../lib/parse-json.ts'
import { createProgram } from './program.ts'

/**
 * Ends the program if an argument is not UTF-8: Node has put U+FFFD in place of its bytes, so names and data would silently
 * change. The message does not repeat the argument, which may be a secret.
 */
function rejectBrokenArguments(program: Command, args: readonly string[]): void {
  const index = args.findIndex(
    (argument) => argument.includes(REPLACEMENT_CHARACTER) || !argument.isWellFormed(),
  )
  if (index === -1) return
  program.error(
    `error: argument ${index + 1} has bytes that are not UTF-8. Use a UTF-8 locale, or convert the text with iconv. For the character U+FFFD in JSON, write \\ufffd.`,
  )
}

const program = await createProgram(process.argv[2])
rejectBrokenArguments(program, process.argv.slice(2))
await program.parseAsync()
