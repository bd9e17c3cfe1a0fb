import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, type TestOptions, test } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { needs } from '../../../support/left-out.ts'
import { until } from '../../../support/until.ts'
import { type Block, blocksOf, ROOT, read } from '../../support/pages.ts'
import type { Terminal } from '../../support/reader.ts'
import { type GuideReader, sendSql } from './posthorn.ts'
import { checkTypes } from './typescript.ts'

/** What a test adds to the page. */
export interface GuideOptions {
  /** Commands that keep running, each with what it prints when it is ready. */
  readonly servers?: Readonly<Record<string, string>>
  /** Texts of the page that the reader replaces with values of their own. */
  readonly replace?: (output: string) => Readonly<Record<string, string>>
  /** What surrounds a block of TypeScript that is a part of a program, by a text of the block. */
  readonly programs?: Readonly<Record<string, (block: string) => string>>
  /** What is true after a block, by a text of the block. `now` has what was printed since. */
  readonly after?: Readonly<
    Record<string, (output: string, now: () => string) => Promise<void> | void>
  >
  /** The heading at which the reader stops. Default: none, so the page is followed to its end. */
  readonly until?: string
  /** Languages that other tests run. */
  readonly shown?: readonly string[]
  /** What runs the blocks of further languages. */
  readonly run?: Readonly<Record<string, (text: string) => Promise<void>>>
  /** Those of the test of a block, such as for a program that it needs. */
  readonly optionsOf?: (block: Block) => TestOptions
  /** In place of the port of the page, 3000. Default: a free one. */
  readonly port?: number
}

const SCHEMA = buildSchema(readFileSync(path.join(ROOT, 'schema.graphql'), 'utf8'))

const SETTINGS = readFileSync(path.join(ROOT, '.env.example'), 'utf8')

/** Commands that keep running have a terminal of their own. */
const LISTEN = /^npx posthorn listen (?!.*(--count|--replay|--help)).*$/

/** Follows a guide, such as `publish` for `docs/guides/publish.md`. */
export function followGuide(guide: string, posthorn: GuideReader, options?: GuideOptions): void {
  followPages([`docs/guides/${guide}.md`], posthorn, options)
}

/**
 * Follows pages from the top to the bottom, as printed: blocks with a file are pasted into it, commands run in a clone,
 * GraphQL is sent with the key of the embedded server, and a block of text is what the commands before print.
 */
export function followPages(
  pages: readonly string[],
  posthorn: GuideReader,
  options: GuideOptions = {},
): void {
  describe(pages.join(), () => {
    const blocks = pages.flatMap((page) => blocksBefore(options.until, page))
    const ids = createSeenIds()
    const variables = new Set<string>()
    const terminals = new Map<string, Terminal>()
    let port = 0
    let printed = ''

    beforeAll(async () => {
      port = options.port ?? (await freePort())
    })
    afterAll(async () => {
      for (const terminal of terminals.values()) await terminal.stop()
    })

    const output = () =>
      [printed, ...[...terminals.values()].map((terminal) => terminal.output)].join('\n')

    const withPorts = (text: string) =>
      text
        .replaceAll('127.0.0.1:4000', posthorn.url.slice('http://'.length))
        .replaceAll(/\b3000\b/g, String(port))

    /** The text with the ids and the ports of this reader. */
    const own = (text: string) => {
      seeTerminals()
      let used = withPorts(ids.fill(text))
      for (const [part, value] of Object.entries(options.replace?.(output()) ?? {}))
        used = used.replaceAll(part, () => value)
      return used
    }

    const run: Readonly<Record<string, (text: string, file: string | null) => Promise<void>>> = {
      sh: async (text) => {
        for (const part of partsOf(text)) {
          if (keepsRunning(part)) await open(part)
          else await type(part)
        }
      },
      graphql: async (text) => {
        // A stream ends with its reader: the tests of subscriptions follow some.
        if (text.startsWith('subscription '))
          return expect(validate(SCHEMA, parse(text))).toEqual([])
        const answer = await posthorn.graphql(own(text))
        expect(answer).not.toHaveProperty('errors')
        for (const [field, value] of Object.entries(answer.data ?? {})) {
          if (field === 'whyNotDelivered') continue
          expect(value, text).not.toHaveProperty('message')
        }
        print(JSON.stringify(answer))
      },
      sql: async (text) => void (await sendSql(posthorn.databaseUrl, own(text))),
      ts: async (text, file) => {
        const part = Object.keys(options.programs ?? {}).find((each) => text.includes(each))
        if (!file && part === undefined) throw new Error(`No program has this block:\n${text}`)
        const program = part === undefined ? text : (options.programs?.[part]?.(text) ?? '')
        await checkTypes(posthorn.reader, file ?? 'part.ts', own(program))
      },
      text: async (text) => {
        await until(
          () => isPrinted(withPorts(text), output()),
          'the block is printed',
          30_000,
        ).catch((error) => {
          throw new Error(`${error.message}\n${text}\nbut this:\n${output()}`)
        })
      },
      json: async (text) => void JSON.parse(text),
      ini: async (text) => {
        for (const [, name = ''] of text.matchAll(/^(\w+)=/gm))
          expect(SETTINGS).toContain(`#${name}=`)
      },
    }

    const needed: string[] = []
    for (const block of blocks) {
      const { page, line, language, text, file } = block
      // What follows a block that was left out may need what it did.
      needed.push(...programsOf(block))
      const testOptions = { ...needs(...needed), ...options.optionsOf?.(block) }
      test(`${page}:${line}, ${language}: ${text.split('\n')[0]}`, testOptions, async () => {
        if (options.shown?.includes(language)) return
        const runBlock = run[language] ?? options.run?.[language]
        if (file) await writeFile(path.join(posthorn.reader.folder, file), own(text))
        if (runBlock) await runBlock(text, file)
        else if (!file) throw new Error(`Nothing runs a block of the language ${language}.`)
        for (const [part, check] of Object.entries(options.after ?? {}))
          if (text.includes(part)) await check(output(), output)
      })
    }

    function seeTerminals(): void {
      for (const terminal of terminals.values()) ids.seeNew(terminal.output)
    }

    function print(text: string): void {
      seeTerminals()
      printed += `${text}\n`
      ids.see(text)
    }

    const keepsRunning = (command: string) =>
      LISTEN.test(command) || options.servers?.[command] !== undefined

    /** The script, cut before and after each command that keeps running. */
    function partsOf(script: string): string[] {
      const parts = ['']
      for (const line of script.trim().split('\n')) {
        if (keepsRunning(line)) parts.push(line, '')
        else parts[parts.length - 1] += `${line}\n`
      }
      return parts.filter((part) => part.trim() !== '')
    }

    /** Another `listen` takes the place of the one before. */
    async function open(command: string): Promise<void> {
      const name = LISTEN.test(command) ? 'listen' : command
      await terminals.get(name)?.stop()
      print(terminals.get(name)?.output ?? '')
      const file = `terminal-${terminals.size}.sh`
      const before = [...variables].map((each) => `. ./${each}.sh\n`).join('')
      const used = ownNode(own(command)).replace(/^(?=[A-Z_]+=)/, 'env ')
      await writeFile(path.join(posthorn.reader.folder, file), `${before}exec ${used}\n`)
      const terminal = posthorn.reader.open(`bash ${file}`)
      terminals.set(name, terminal)
      const ready = options.servers?.[command]
      const isReady = () => {
        if (ready === undefined) return /^(Registered wh_|Ready\.)/m.test(terminal.output)
        return terminal.output.includes(ready)
      }
      await until(isReady, `${command} is ready`, 30_000).catch((error) => {
        throw new Error(`${error.message}\n${terminal.output}`)
      })
      seeTerminals()
    }

    /** Variables of the shell stay, as in one terminal. */
    async function type(script: string): Promise<void> {
      const before = [...variables].map((name) => `. ./${name}.sh`)
      for (const name of variablesOf(script)) variables.add(name)
      const after = [...variables].map((name) => `declare -p ${name} >${name}.sh`)
      const { stdout, stderr } = await posthorn.reader.type(
        [...before, ownNode(own(script)), ...after].join('\n'),
      )
      // `curl` prints an error of the server, and succeeds.
      expect(stdout).not.toMatch(/"errors":|"message":|urn:posthorn:problem/)
      print(stdout + stderr)
    }
  })
}

/** The blocks of a page before a heading, or all. */
function blocksBefore(heading: string | undefined, page: string): Block[] {
  if (heading === undefined) return blocksOf(page)
  const at = read(page).split('\n').indexOf(heading)
  if (at < 0) throw new Error(`${page} has no line "${heading}".`)
  return blocksOf(page).filter(({ line }) => line <= at)
}

/** Whether every line of a block of output was printed, in order. `…` stands for any text. */
function isPrinted(block: string, output: string): boolean {
  const lines = output.split('\n')
  let from = 0
  return block
    .trimEnd()
    .split('\n')
    .every((line) => {
      const pattern = new RegExp(`^${line.split('…').map(escapePattern).join('.*')}$`)
      const found = lines.findIndex((printed, i) => i >= from && pattern.test(printed))
      from = found + 1
      return found >= 0
    })
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The variables that a script sets: not the lines of a file that it writes. */
function variablesOf(script: string): string[] {
  const commands = script.replaceAll(/<<(\w+)\n.*?\n\1$/gms, '')
  return [...commands.matchAll(/^(?:export )?([A-Z_]+)=/gm)].map(([, name = '']) => name)
}

/** The Node of the tests, and no npx, which takes as long as the command. */
function ownNode(script: string): string {
  return script
    .replaceAll(/(?<=^|\s)npx node (?=\S+\.ts)/gm, `'${process.execPath}' `)
    .replaceAll(
      /(?<=^|\s|\()npx posthorn /gm,
      `'${process.execPath}' packages/posthorn/posthorn.js `,
    )
}

function programsOf({ language, text }: Block): string[] {
  if (language !== 'sh') return []
  return ['curl', 'openssl', 'psql', 'python3'].filter((one) => text.includes(`${one} `))
}

const IDS =
  /\b(?:(org|wh|msg|evt|att|task|key)_[0-9a-hjkmnp-tv-z]{26}|(phs|phk|whsec)_[\w+/=-]{20,})/g

/** What a guide writes as `wh_…`: the id that the reader saw last. */
function createSeenIds() {
  const last = new Map<string, string>()
  const seen = new Set<string>()
  const see = (output: string, onlyNew: boolean) => {
    for (const [id, kind, secret] of output.matchAll(IDS)) {
      if (!onlyNew || !seen.has(id)) last.set(kind ?? secret ?? '', id)
      seen.add(id)
    }
  }
  return {
    see: (output: string) => see(output, false),
    /** The same for a text that was read before, and has grown somewhere: only ids that are new count. */
    seeNew: (output: string) => see(output, true),
    /** The text with an id in place of each `wh_…`. */
    fill: (text: string) =>
      text.replaceAll(/\b(org|wh|msg|evt|att|task|key|phs|phk|whsec)_…/g, (_, kind: string) => {
        const id = last.get(kind)
        if (!id) throw new Error(`The reader has seen no ${kind}_… before:\n${text}`)
        return id
      }),
  }
}
