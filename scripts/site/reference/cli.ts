import type { EventEmitter } from 'node:events'
import { createProgram, summaryOf } from '../../../src/cli/program.ts'
import { anchor, code, fenced, page, prose, table } from './markdown.ts'

// Not those of the package: what the site itself uses has another version of commander.
type Command = Awaited<ReturnType<typeof createProgram>>
type Option = Command['options'][number]
type Argument = Command['registeredArguments'][number]

export async function cliPage(): Promise<string> {
  const program = await createProgram()
  const commands = leaves(program)
  return page(
    '# Command line',
    `${prose(program.description())} The package \`posthorn\` has one program: \`npx posthorn <command>\`. \`--help\` after a command shows what this page shows.`,
    'Commands with `--server` call a running server with an API key: the one of this folder, or another one. They read no settings of a server. The other ones that read or change an installation connect to its database (`DATABASE_URL`, or the embedded Postgres). Each command exits with 0 on success, with 1 after an error, and with 78 if no later start can succeed with the same settings; errors are on standard error.',
    table(
      ['command', ''],
      commands.map((command) => [
        `[${code(`posthorn ${pathOf(command)}`)}](#${anchor(`posthorn ${pathOf(command)}`)})`,
        prose(summaryOf(command)),
      ]),
    ),
    ...commands.map(section),
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

function section(command: Command): string {
  const options = command.options.filter(({ hidden }) => !hidden)
  return page(
    `## posthorn ${pathOf(command)}`,
    prose(command.description()),
    fenced(`posthorn ${pathOf(command)} ${command.usage()}`.trim(), 'txt'),
    table(['argument', ''], command.registeredArguments.map(argument)),
    table(['option', '', 'default'], options.map(option)),
    ...after(command),
  ).trimEnd()
}

function argument(one: Argument): string[] {
  const name = one.variadic ? `${one.name()}…` : one.name()
  return [code(one.required ? `<${name}>` : `[${name}]`), prose(one.description)]
}

function option({ flags, description, defaultValue, mandatory, argChoices }: Option): string[] {
  const choices = argChoices ? `; one of ${argChoices.map(code).join(', ')}` : ''
  const isText = typeof defaultValue === 'string' || typeof defaultValue === 'number'
  const shown = isText && defaultValue !== '' ? code(String(defaultValue)) : ''
  return [code(flags), `${prose(description)}${choices}`, mandatory ? 'required' : shown]
}

/** The examples and notes that the help shows after the options. */
function after(command: Command): string[] {
  const written: string[] = []
  const context = { error: false, command, write: (text: string) => void written.push(text) }
  // The type of Command does not say that it is an EventEmitter.
  ;(command as unknown as EventEmitter).emit('afterHelp', context)
  const text = written.join('').trim()
  return text === '' ? [] : [fenced(text, 'txt')]
}
