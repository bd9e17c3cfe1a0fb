import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { blocksOf, PAGES, READMES } from './support/pages.ts'

/* Every `posthorn …` of every page, also of those whose commands nothing runs, has a command and options that exist. */

const program = await createProgram()

/** The problem of a command line, or null. */
function problemOf(line: string): string | null {
  const words = line.split(/\s+/)
  let command: Command = program
  for (let [word, ...rest] = words; word !== undefined; [word, ...rest] = rest) {
    const inner: Command | undefined = command.commands.find((one) => one.name() === word)
    if (!inner) break
    command = inner
  }
  if (command.commands.length > 0 && !words.includes('--help')) return `"${line}" has no command.`
  const known = [...command.options.flatMap(({ long, short }) => [long, short]), '--help']
  const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0])
  const unknown = options.filter((option) => !known.includes(option))
  return unknown.length === 0 ? null : `"${line}" has the unknown option ${unknown.join(', ')}.`
}

/** The arguments of each command, without quoted texts, comments and what follows in a pipe. */
function commandLinesIn(text: string): string[] {
  const script = text
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT')
    .replaceAll(/#.*$/gm, '')
  return [...script.matchAll(COMMAND_LINE)].map(([, args = '']) => args.trim())
}

/** At the beginning of a line, perhaps after variables, `$`, npx or a folder. */
const COMMAND_LINE = /^[ \t$]*(?:\w+=\S*[ \t]+)*(?:npx[ \t]+|\S*\/)?posthorn[ \t]+([^\n;&|>)]+)/gm

const blocks = [...PAGES, ...READMES]
  .filter((page) => page !== 'CHANGELOG.md')
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sh' || language === 'console')

test('every command of posthorn on a page has a name and options that exist', () => {
  const lines = blocks.flatMap(({ page, line, text }) =>
    commandLinesIn(text).map((command) => ({ command, place: `${page}:${line}` })),
  )
  expect(lines.length).toBeGreaterThan(50)
  const problems = lines.flatMap(({ command, place }) => {
    const problem = problemOf(command)
    return problem === null ? [] : [`${place}: ${problem}`]
  })
  expect(problems).toEqual([])
})
