import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { filesOf } from './support/files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SELF = 'test/vocabulary.test.ts'

/** Words that name no concept of Posthorn, each with the word that does. CONTRIBUTING.md has the vocabulary. */
const NAMES: Readonly<Record<string, string>> = {
  announce: 'notify',
  anew: 'again',
  bookmark: 'cursor',
  discreet: 'redact',
  door: 'source',
  entrant: 'candidate',
  erase: 'delete',
  fence: 'access policy, or claim lost',
  gate: 'concurrency limiter',
  happening: 'live event',
  held: 'on hold',
  hurry: 'abort',
  lingering: 'backfill',
  owed: 'to be delivered',
  presume: 'cache',
  refusal: 'rejection',
  slot: 'reservation',
  spending: 'quota',
  tally: 'counter',
  tidy: 'prune',
  unfit: 'invalid',
  verdict: 'verification',
  whoever: 'caller',
  wish: 'input',
}

/** The same of several words, as they follow each other in an identifier. */
const PHRASES: Readonly<Record<string, string>> = {
  'at hand': 'claimed',
  'begin shift': 'start a runner',
  'describe once': '(gone)',
  'give back': 'unclaim',
  'give up': 'abort',
  'goes first': 'priority',
  'hand over': 'claim',
  'has turn': 'head of the backlog',
  'line since': 'backlog since',
  'made due': 'queued',
  'set aside': 'park',
  'take slot': 'reserve',
  'turned away': 'rejected',
  'until back': 'retry while unavailable',
  'waiting since': 'parked at',
}

/** Expressions that a reader reads twice. */
const PROSE =
  /\b(owed|anew|who(so)?ever|whatever|hand(s|ed|ing)? over|handover|sets? aside|setting aside|presum(e|es|ed|ing)|at hand|ma(d|k)es? due)\b/i

const files = (
  await filesOf(ROOT, [
    'src',
    'packages',
    'prisma',
    'test',
    'examples',
    'deploy',
    'docs',
    'release',
    '.github',
  ])
).filter((file) => file !== SELF && !/\.(png|svg|ico|woff2|ttf)$/.test(file))
const texts = new Map<string, string>()
for (const file of [
  ...files,
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/client/README.md',
  'packages/posthorn/README.md',
  'packages/react/README.md',
  'packages/receiver/README.md',
  'schema.graphql',
  'package.json',
  '.env.example',
  '.dependency-cruiser.cjs',
]) {
  texts.set(file, await readFile(path.join(ROOT, file), 'utf8'))
}

/** `backlogSince`, `backlog_since` and `backlog-since` -> `backlog since` */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

function dialectIn(name: string): string[] {
  const words = wordsOf(name)
  const sentence = ` ${words.join(' ')} `
  return [
    ...words.filter(
      (word) => Object.hasOwn(NAMES, word) || Object.hasOwn(NAMES, word.replace(/s$/, '')),
    ),
    ...Object.keys(PHRASES).filter((phrase) => sentence.includes(` ${phrase} `)),
  ]
}

const CODE = /\.(ts|tsx|js|cjs|sql|prisma|graphql)$/

/** Identifiers of code, tables and columns; strings and comments have prose of their own. */
function identifiersOf(text: string): Set<string> {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(\/\/|--).*$/gm, ' ')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, ' ')
  return new Set(code.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? [])
}

test('every file is named in the words of the field', () => {
  const found = [...texts.keys()].filter((file) => dialectIn(file).length > 0)
  expect(found).toEqual([])
})

test('every identifier, table and column is named in the words of the field', () => {
  const found = [...texts].flatMap(([file, text]) =>
    CODE.test(file)
      ? [...identifiersOf(text)].flatMap((name) =>
          dialectIn(name).length > 0 ? `${file}: ${name}` : [],
        )
      : [],
  )
  expect(found).toEqual([])
})

test('no comment, document or text that people read says what must be read twice', () => {
  const found = [...texts].flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, i) => (PROSE.test(line) ? `${file}:${i + 1}: ${line.trim()}` : [])),
  )
  expect(found).toEqual([])
})

test.each(['heldSince', 'held_since', 'fences', 'beginShift', 'turned-away', 'HandOver'])(
  'the name %s would be found',
  (name) => {
    expect(dialectIn(name)).not.toEqual([])
  },
)

test.each(['What it is owed waits', 'Whoever asks', 'It is made due', 'It was handed over'])(
  'the sentence "%s" would be found',
  (sentence) => {
    expect(PROSE.test(sentence)).toBe(true)
  },
)
