import { createProgram } from '../../../src/cli/program.ts'
import { fenced, page, prose } from './markdown.ts'

// Not those of the package: what the site itself uses has another version of commander.
type Command = Awaited<ReturnType<typeof createProgram>>

export async function cliPage(): Promise<string> {
  const program = await createProgram()
  return page(
    '# Command line',
    `${prose(program.description())} The package \`posthorn\` has one program: \`npx posthorn <command>\`. \`--help\` after a command shows the text of this page.`,
    'Commands with `--server` call a running server with an API key, and read no settings of a server. The others connect to the database of an installation (`DATABASE_URL`, or the embedded Postgres). A command exits with 0 on success, with 1 after an error, and with 78 if no later start can succeed with the same settings; errors are on standard error.',
    ...leaves(program).flatMap((command) => [
      `## posthorn ${pathOf(command)}`,
      fenced(helpOf(command), 'txt'),
    ]),
  )
}

/** The commands that do something, in the order of the help. */
export function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
}

export function pathOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null
    ? command.name()
    : `${pathOf(parent)} ${command.name()}`
}

/** With the examples and notes that follow the options. */
function helpOf(command: Command): string {
  const written: string[] = []
  const writeOut = (text: string) => void written.push(text)
  command.configureOutput({ writeOut, getOutHelpWidth: () => 88 })
  command.outputHelp()
  return written.join('').trim()
}
