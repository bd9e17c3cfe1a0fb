import { globSync, readFileSync } from 'node:fs'

export interface SqlFunction {
  readonly name: string
  /** As in its definition: `organization text, events json`. */
  readonly args: string
  readonly returns: string
  readonly comment: string
}

const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url)

/** For functions that other parts of Posthorn call, not applications. */
const INTERNAL = 'Calls graphile-worker.'

/** The public functions, by the comments of the migrations, in the order of the comments. A test compares them with Postgres. */
export function publicFunctions(): SqlFunction[] {
  const texts = globSync('*/migration.sql', { cwd: MIGRATIONS })
    .toSorted()
    .map((file) => readFileSync(new URL(file, MIGRATIONS), 'utf8'))
  const definitions = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(DEFINITION)].map(([, name = '', args = '', returns = '']) => {
        const written = args.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim()
        return [`${name}(${typesOf(written)})`, { name, args: written, returns: returns.trim() }]
      }),
    ),
  )
  const comments = texts.flatMap((text) => [...text.matchAll(COMMENT)])
  return comments
    .filter(([, , , comment = '']) => !comment.startsWith(INTERNAL))
    .flatMap(([, name = '', types, comment = '']) => {
      const definition = definitions.get(`${name}(${types})`)
      return definition ? [{ ...definition, comment: comment.replaceAll("''", "'") }] : []
    })
}

const DEFINITION =
  /^create (?:or replace )?function posthorn\.(\w+)\(([^;]*?)\)\s+returns ([^;]*?)\s+language /gm

const COMMENT = /^comment on function posthorn\.(\w+)\(([^)]*)\) is\s+'((?:[^']|'')*)';/gm

/** `organization text, at timestamptz default null` -> `text, timestamptz` */
function typesOf(args: string): string {
  return args
    .replaceAll(/'[^']*'/g, "''")
    .split(/,\s*/)
    .map((one) => one.replace(/\s+default .*$/, '').replace(/^\w+ /, ''))
    .join(', ')
}
