import pg from 'pg'

// `pg` writes a parameter as a local time with an offset in minutes, which lacks the seconds of old time zones.
pg.defaults.parseInputDatesAsUTC = true

/**
 * The parsers of `pg`, except that a time that cannot be read fails the statement: `pg` parses it to null, which reads
 * like a missing value. Types without a time zone fail, too, because `pg` reads them in the time zone of the process.
 */
export const STRICT_TYPES: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parse: (text: string) => unknown = pg.types.getTypeParser(oid, format as 'text')
    if (oid === pg.types.builtins.TIMESTAMPTZ || oid === TIMESTAMPTZ_ARRAY) {
      return (text: string) => requireTimes(text, parse(text))
    }
    const type = TYPES_WITHOUT_ZONE.get(oid)
    return type === undefined ? parse : () => refuse(type)
  },
}

const TIMESTAMPTZ_ARRAY = 1185

const TYPES_WITHOUT_ZONE = new Map<number, string>([
  [pg.types.builtins.DATE, 'date'],
  [pg.types.builtins.TIMESTAMP, 'timestamp'],
  [1182, 'date[]'],
  [1115, 'timestamp[]'],
])

function requireTimes(text: string, parsed: unknown): unknown {
  const isRead = Array.isArray(parsed)
    ? parsed.filter((time) => time === null).length === countNulls(text)
    : parsed !== null
  if (isRead) return parsed
  throw new Error(
    `Postgres answered the time ${JSON.stringify(text)}, which is not in the form of the setting DateStyle = ISO.`,
  )
}

function countNulls(arrayLiteral: string): number {
  return arrayLiteral.match(/\bNULL\b/g)?.length ?? 0
}

function refuse(type: string): never {
  throw new Error(
    `A column of the result has the type ${type}, which has no time zone. Select a timestamptz, or text.`,
  )
}
