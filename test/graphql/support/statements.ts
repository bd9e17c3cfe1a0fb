import type { Database } from '../../../src/db/client.ts'

/**
 * Records the statements of a pool, of Prisma and of plain SQL, to detect one statement per row
 * (N+1): short forms such as `select deliveries`, in order, and the full texts with their values.
 */
export function recordStatements({ pool }: Pick<Database, 'pool'>) {
  const list: string[] = []
  const full: { text: string; values: readonly unknown[] }[] = []
  const recorded = new WeakSet<object>()
  pool.on('acquire', (client) => {
    if (recorded.has(client)) return
    recorded.add(client)
    const query = client.query as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const statement = textOf(args[0])
      const name = describe(statement)
      if (!NOTED_LATER.has(name)) {
        list.push(name)
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
    full,
    clear() {
      list.length = 0
      full.length = 0
    },
  }
}

/** Writes that run beside requests: the last use of a key once a minute, and the rate limit usage four times a second. */
const NOTED_LATER: ReadonlySet<string> = new Set(['update api_keys', 'sync_usage'])

interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
}

function textOf(question: unknown): Statement {
  return typeof question === 'string' ? { text: question } : (question as Statement)
}

/** The name of a named statement; otherwise its verb and table. */
function describe({ name, text }: Statement): string {
  if (name) return name
  const [, verb, table] =
    /^\s*(select|insert|update|delete)\b.*?(?:from|into|update)?\s*"?posthorn"?\."?(\w+)"?/is.exec(
      text.replace(/^\s*select .*? from/is, 'select'),
    ) ?? []
  return verb ? `${verb.toLowerCase()} ${table}` : text.trim().split(/\s+/).slice(0, 3).join(' ')
}
