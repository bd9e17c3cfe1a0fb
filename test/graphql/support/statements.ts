import type { Database } from '../../../src/db/client.ts'

/** What Postgres is asked, in short: the guard against a question for every row. */
export interface Statements {
  /** Such as `select deliveries`, in the order they were sent. */
  readonly list: string[]
  /** The same in full. */
  readonly texts: string[]
  /** The same with their values. */
  readonly full: { readonly text: string; readonly values: readonly unknown[] }[]
  clear(): void
}

/** Records the statements of a pool that has not connected yet, of Prisma and of plain SQL. */
export function recordStatements({ pool }: Database): Statements {
  const list: string[] = []
  const texts: string[] = []
  const full: { text: string; values: readonly unknown[] }[] = []
  pool.on('connect', (client) => {
    const query = client.query as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const statement = textOf(args[0])
      const name = describe(statement)
      if (!NOTED_LATER.has(name)) {
        list.push(name)
        texts.push(statement.text)
        full.push({
          text: statement.text,
          values: statement.values ?? (args[1] as unknown[]) ?? [],
        })
      }
      return query.apply(client, args)
    }) as typeof client.query
  })
  return {
    list,
    texts,
    full,
    clear() {
      list.length = 0
      texts.length = 0
      full.length = 0
    },
  }
}

/** When a key was last used is written beside the request, once a minute; what all keys used, four times a second. */
const NOTED_LATER: ReadonlySet<string> = new Set(['update api_keys', 'sync_usage'])

interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

function textOf(question: unknown): Statement {
  return typeof question === 'string' ? { text: question } : (question as Statement)
}

/** Named statements are ours and say what they do; of the others, the verb and the table do. */
function describe({ name, text }: Statement): string {
  if (name) return name
  const [, verb, table] =
    /^\s*(select|insert|update|delete)\b.*?(?:from|into|update)?\s*"?posthorn"?\."?(\w+)"?/is.exec(
      text.replace(/^\s*select .*? from/is, 'select'),
    ) ?? []
  return verb ? `${verb.toLowerCase()} ${table}` : text.trim().split(/\s+/).slice(0, 3).join(' ')
}
