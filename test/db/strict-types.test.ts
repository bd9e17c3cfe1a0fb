import { describe, expect, test } from 'vitest'
import { useApi } from '../graphql/support/api.ts'

const api = await useApi()

/** A connection that lost its date style, as no connection of Posthorn does. */
async function connectWithStyle(style: string) {
  const client = await api.database.pool.connect()
  await client.query(`set datestyle = '${style}'`)
  return { client, [Symbol.dispose]: () => client.release(true) }
}

const AT = `'2026-03-08T12:00:00.123Z'::timestamptz`

describe('a time that cannot be read fails its statement', () => {
  test.each(['SQL, DMY', 'German', 'Postgres'])('in the date style %s', async (style) => {
    using connection = await connectWithStyle(style)
    const { client } = connection
    for (const value of [AT, `array[null, ${AT}]`]) {
      await expect(client.query(`select ${value} as at`)).rejects.toThrow(
        /^Postgres answered the time ".*2026.*", which is not in the form of the setting DateStyle = ISO\.$/,
      )
    }
    expect((await client.query('select 1 as one, null::timestamptz as at')).rows).toEqual([
      { one: 1, at: null },
    ])
  })

  test('and is read in the ISO style', async () => {
    const { rows } = await api.database.pool.query(
      `select ${AT} as at, array[${AT}, null] as times, 'infinity'::timestamptz as forever`,
    )
    const at = new Date('2026-03-08T12:00:00.123Z')
    expect(rows).toEqual([{ at, times: [at, null], forever: Number.POSITIVE_INFINITY }])
  })
})

test.each(['date', 'timestamp', 'date[]', 'timestamp[]'])(
  'a value of the type %s, which has no time zone, is refused',
  async (type) => {
    const value = type.endsWith('[]') ? '{2026-03-08}' : '2026-03-08'
    await expect(api.database.pool.query(`select '${value}'::${type}`)).rejects.toThrow(
      `A column of the result has the type ${type}, which has no time zone.`,
    )
  },
)
