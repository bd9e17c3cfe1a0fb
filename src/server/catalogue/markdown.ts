import type { SchemaField } from '../../event-types/schema-fields.ts'
import { byGroup, type PublicType } from './public-type.ts'
import type { ReceiverCode } from './receivers.ts'
import { type Part, type Section, type Sender, sectionsOf, titleOf } from './receiving.ts'

/** `/event-types.md`: the page for people who read Markdown, and for programs that write code. */
export function printMarkdown(types: readonly PublicType[], sender: Sender): string {
  const groups = [...byGroup(types)].flatMap(([group, inGroup]) => [
    ...(group === null ? [] : [`## ${escaped(group)}`]),
    ...inGroup.flatMap(describe),
  ])
  const parts = [
    `# ${escaped(titleOf(sender))}`,
    ...sectionsOf(sender).flatMap(receiving),
    '## Event types',
    types.length === 0 ? 'There are no event types yet.' : INTRODUCTION,
    ...groups,
  ]
  return `${parts.join('\n\n')}\n`
}

const INTRODUCTION =
  'Subscribe a webhook to the names of event types. Each section says what `data` of its events has.'

const receiving = ({ title, parts }: Section) => [`## ${title}`, ...parts.flatMap(printPart)]

function printPart(part: Part): string[] {
  if (typeof part === 'string') return [part]
  if ('list' in part) return [part.list.map((line) => `- ${line}`).join('\n')]
  if ('receivers' in part) return part.receivers.flatMap(receiver)
  const rows = [part.head, part.head.map(() => '---'), ...part.rows]
  return [rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')]
}

function receiver({ language, file, command, highlight, code }: ReceiverCode): string[] {
  return [
    `### ${language}`,
    `\`${file}\`:`,
    fenced(code.trimEnd(), highlight),
    fenced(command, 'sh'),
  ]
}

function describe({ name, description, fields, schema, exampleText }: PublicType): string[] {
  return [
    `### \`${name}\``,
    escaped(description),
    ...(fields.length > 0 ? [tableOf(fields)] : []),
    ...(fields.length === 0 && schema === null ? ['`data` is any JSON value.'] : []),
    ...(exampleText === null ? [] : ['An example of `data`:', fenced(exampleText, 'json')]),
  ]
}

function tableOf(fields: readonly SchemaField[]): string {
  const rows = fields.map(({ path, type, required, description, rules }) => {
    const text = [description, rules.join('; ')].filter(Boolean).map(escaped).join(' ')
    return `| ${code(path)} | ${escaped(type)} | ${required ? 'yes' : 'no'} | ${text} |`
  })
  return ['| field | type | always there | |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** Text in which nothing is markup: a description is not the operator's Markdown, and a table row is one line. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]<>#|~&!]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^([+-]|\d+[.)])(?= |$)/, String.raw`\$1`)
}

/** A name of a field may have any character. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`)
  const fence = '`'.repeat(longestRun(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${space}${line}${space}${fence}`
}

function fenced(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
}
