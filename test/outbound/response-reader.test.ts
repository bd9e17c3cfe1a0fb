import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LastHead } from '../../src/outbound/last-head.ts'
import { type ResponseListener, ResponseReader } from '../../src/outbound/response-reader.ts'

const MAX_HEAD_BYTES = 16 * 1024
const HEAD = 'HTTP/1.1 200 OK\r\n'

/** What a reader told of a response, the pieces of the body joined. */
interface Told {
  status?: number
  headers?: Record<string, string>
  keepIdleMs?: number
  body: string
  end?: 'exact' | 'with more after it' | 'with the connection'
  malformed?: string
}

/** Reads pieces as a connection would: into one memory, and no more once all is told. */
function read(pieces: readonly string[], lastHead = new LastHead()): Told {
  const told: Told = { body: '' }
  let over = false
  const listener: ResponseListener = {
    onHead({ status, headers, keepIdleMs }) {
      Object.assign(told, { status, headers, keepIdleMs })
    },
    onBody(data) {
      told.body += data.toString('latin1')
    },
    onEnd(isExact) {
      over = true
      told.end = isExact ? 'exact' : 'with more after it'
    },
    onMalformed(why) {
      over = true
      told.malformed = why
    },
  }
  const reader = new ResponseReader(listener, MAX_HEAD_BYTES, lastHead)
  const memory = Buffer.alloc(64 * 1024)
  for (const piece of pieces) {
    if (over) return told
    reader.read(memory.subarray(0, memory.write(piece, 'latin1')))
    memory.fill('?')
  }
  if (!over && reader.endsWithConnection) told.end = 'with the connection'
  return told
}

const readWhole = (text: string) => read([text])

describe('a head', () => {
  test.each([
    ['with a reason phrase', 'HTTP/1.1 200 OK\r\n\r\n', 200],
    ['with an empty one', 'HTTP/1.1 200 \r\n\r\n', 200],
    ['without one', 'HTTP/1.1 404\r\n\r\n', 404],
    ['with one beyond ASCII', 'HTTP/1.1 404 Introuvable, d\xe9sol\xe9\r\n\r\n', 404],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n', 200],
    ['with a status of its own making', 'HTTP/1.1 999 x\r\n\r\n', 999],
  ])('%s is read', (_what, text, status) => {
    expect(readWhole(text)).toMatchObject({ status })
  })

  test('tells its headers by lower-case names, repeated ones joined, values trimmed', () => {
    const { headers } = readWhole(
      `${HEAD}X-A:  1\t \r\nx-empty:\r\nx-a:2\r\nX-Inner: a  b\r\nx-utf8: caf\xc3\xa0\r\n\r\n`,
    )
    expect(headers).toEqual({
      'x-a': '1, 2',
      'x-empty': '',
      'x-inner': 'a  b',
      'x-utf8': 'caf\xc3\xa0',
    })
  })

  test('may have names that objects have, too', () => {
    const { headers } = readWhole(`${HEAD}constructor: a\r\ntoString: b\r\n__proto__: c\r\n\r\n`)
    expect(headers).toMatchObject({ constructor: 'a', tostring: 'b' })
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
  })

  test('may continue a line on the next', () => {
    const { headers } = readWhole(`${HEAD}x-a: 1\r\n  2\r\n\t3\r\nx-b: 4\r\n\r\n`)
    expect(headers).toEqual({ 'x-a': '1 2 3', 'x-b': '4' })
  })

  test.each([
    ['has no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['has a status of two digits', 'HTTP/1.1 99 x\r\n\r\n'],
    ['has a status of four digits', 'HTTP/1.1 2000 x\r\n\r\n'],
    ['has a status below 100', 'HTTP/1.1 099 x\r\n\r\n'],
    ['is of another version', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['is of HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['has a control character in its reason phrase', 'HTTP/1.1 200 O\0K\r\n\r\n'],
    ['switches to another protocol', 'HTTP/1.1 101 x\r\nupgrade: x\r\n\r\n'],
    ['has a header without a colon', `${HEAD}x-a\r\n\r\n`],
    ['has a header without a name', `${HEAD}: a\r\n\r\n`],
    ['has a space before the colon', `${HEAD}x-a : b\r\n\r\n`],
    ['has a NUL in a value', `${HEAD}x-a: b\0c\r\n\r\n`],
    ['ends a line with LF alone', `${HEAD}x-a: b\ncontent-length: 0\r\n\r\n`],
    ['ends a line with CR alone', `${HEAD}x-a: b\rcontent-length: 0\r\n\r\n`],
    ['has two lengths', `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`],
    ['has the same length twice', `${HEAD}content-length: 2\r\ncontent-length: 2\r\n\r\nok`],
    ['has a negative length', `${HEAD}content-length: -1\r\n\r\n`],
    ['has a length with a sign', `${HEAD}content-length: +1\r\n\r\n`],
    ['has a hexadecimal length', `${HEAD}content-length: 0x2\r\n\r\n`],
    ['has an empty length', `${HEAD}content-length:\r\n\r\n`],
    ['has a length beyond all bounds', `${HEAD}content-length: 9999999999999999\r\n\r\n`],
    ['has a length and chunks', `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`],
    [
      'has a length and chunks where there is no body',
      'HTTP/1.1 204 x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
  ])('that %s is not valid', (_what, text) => {
    expect(readWhole(text)).toEqual({ body: '', malformed: 'invalid_http' })
  })

  test.each(['SSH-2.0-OpenSSH_9.9\r\n', '<html>', 'http/1.1 200', '\0', ' HTTP/1.1 200 OK'])(
    'that begins with %j is not valid, and its end is not awaited',
    (text) => {
      expect(readWhole(text)).toEqual({ body: '', malformed: 'invalid_http' })
    },
  )

  const ofLength = (length: number) => `${HEAD}x: `.padEnd(length, 'a')

  test('may have 16 KiB, interim responses before it included', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'
    for (const before of ['', interim, interim.repeat(100)]) {
      const largest = `${before}${ofLength(MAX_HEAD_BYTES - before.length)}`
      expect(readWhole(`${largest}\r\n\r\n`)).toMatchObject({ status: 200 })
      const tooLarge = { body: '', malformed: 'head_too_large' }
      expect(readWhole(`${largest}a\r\n\r\n`)).toEqual(tooLarge)
      expect(readWhole(`${largest}a`)).toEqual(tooLarge)
      expect(read([...`${largest}a`])).toEqual(tooLarge)
    }
  })
})

describe('a head that begins like the last one of its origin', () => {
  const answer = (date: string, body = 'ok') =>
    `${HEAD}date: ${date}\r\ncontent-length: ${body.length}\r\n\r\n${body}`

  test('is not read anew', () => {
    const lastHead = new LastHead()
    const first = read([answer('a')], lastHead)
    const next = read([answer('a'), 'more'], lastHead)
    expect(next).toEqual(first)
    expect(next.headers).toBe(first.headers)
    expect(read([answer('a', 'no')], lastHead)).toEqual({ ...first, body: 'no' })
  })

  test('is another one where a byte is', () => {
    const lastHead = new LastHead()
    const first = read([answer('a')], lastHead)
    const next = read([answer('b')], lastHead)
    expect([first, next].map(({ headers }) => headers?.['date'])).toEqual(['a', 'b'])
    expect(read([answer('b')], lastHead).headers).toBe(next.headers)
    expect(read([answer('a')], lastHead)).toEqual(first)
  })

  test('is read anew where it comes in pieces, after an interim response, or with much of a body', () => {
    const lastHead = new LastHead()
    const first = read([answer('a')], lastHead)
    const ways = [[...answer('a')], [`HTTP/1.1 103 x\r\n\r\n${answer('a')}`]]
    for (const pieces of ways) {
      const next = read(pieces, lastHead)
      expect(next).toEqual(first)
      expect(next.headers).not.toBe(first.headers)
    }
    const large = answer('b', 'x'.repeat(2_048))
    expect(read([large], lastHead).headers).not.toBe(read([large], lastHead).headers)
    expect(read([answer('a')], lastHead).headers).toBe(first.headers)
  })

  test('is read the same, whatever came before it', () => {
    const responses = [
      answer('a'),
      `${HEAD}\r\n`,
      HEAD,
      `${HEAD}x: \0\r\n\r\n`,
      `HTTP/1.1 100 Continue\r\n\r\n${HEAD}\r\nhello`,
      `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      `${HEAD}connection: close\r\ncontent-length: 1\r\n\r\nab`,
      'HTTP/1.1 204 No Content\r\n\r\n',
    ]
    const inOrder = fc.array(fc.constantFrom(...responses), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(inOrder, (texts) => {
        const lastHead = new LastHead()
        const told = texts.map((text) => read([text], lastHead))
        expect(told).toEqual(texts.map(readWhole))
      }),
    )
  })
})

describe('a body', () => {
  const chunked = (text: string) => `${HEAD}transfer-encoding: chunked\r\n\r\n${text}`

  test.each([
    ['of a length', `${HEAD}content-length: 5\r\n\r\nhello`],
    ['in chunks', chunked('2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n')],
    [
      'in chunks of upper case',
      `${HEAD}Transfer-Encoding: gzip, Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ],
    ['in chunks with extensions', chunked('5;a=b;c="d"\r\nhello\r\n0;e\r\n\r\n')],
    ['in chunks with zeros before their size', chunked('0005 \r\nhello\r\n000\r\n\r\n')],
    ['in chunks with trailers', chunked('5\r\nhello\r\n0\r\nx-a: b\r\nx-c: d\r\n\r\n')],
  ])('%s is read up to its end', (_what, text) => {
    expect(readWhole(text)).toMatchObject({ status: 200, body: 'hello', end: 'exact' })
    expect(readWhole(`${text}HTTP/1.1 500`)).toMatchObject({
      status: 200,
      body: 'hello',
      end: 'with more after it',
    })
  })

  test.each([
    ['of neither a length nor chunks', `${HEAD}\r\nhello`],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n\r\nhello'],
    ['of a coding that is not chunks', `${HEAD}transfer-encoding: gzip\r\n\r\nhello`],
    ['of chunks within another coding', `${HEAD}transfer-encoding: chunked, gzip\r\n\r\nhello`],
  ])('%s ends with its connection', (_what, text) => {
    expect(readWhole(text)).toMatchObject({
      body: 'hello',
      end: 'with the connection',
      keepIdleMs: 0,
    })
  })

  test.each([204, 304])('of a %i is none, whatever its headers say', (status) => {
    const head = `HTTP/1.1 ${status} x\r\ncontent-length: 5\r\n\r\n`
    expect(readWhole(head)).toMatchObject({ status, body: '', end: 'exact' })
  })

  test.each([
    ['a size that is none', 'x\r\n'],
    ['an empty size', '\r\n'],
    ['a negative size', '-5\r\n'],
    ['a size beyond all bounds', 'fffffffffffff\r\n'],
    ['a size that ends with LF alone', '5\nhello\r\n0\r\n\r\n'],
    ['data longer than its size', '5\r\nhello!\r\n0\r\n\r\n'],
    ['data shorter than its size', '5\r\nhell\r\n0\r\n\r\n'],
  ])('in chunks with %s is not valid', (_what, text) => {
    expect(readWhole(chunked(text))).toMatchObject({ status: 200, malformed: 'invalid_http' })
  })

  test.each([
    ['a length', `${HEAD}content-length: 100\r\n\r\nhello`],
    ['chunks', chunked('5\r\nhello')],
    ['chunks, before the end of the last', chunked('5\r\nhello\r\n0\r\n')],
  ])('of %s that is cut off has no end', (_what, text) => {
    const { body, end } = readWhole(text)
    expect({ body, end }).toEqual({ body: 'hello', end: undefined })
  })
})

test('interim responses are read over, however many come at once', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'
  expect(readWhole(`${interim.repeat(3)}${HEAD}content-length: 2\r\n\r\nok`)).toEqual({
    status: 200,
    headers: { 'content-length': '2' },
    keepIdleMs: 10_000,
    body: 'ok',
    end: 'exact',
  })
})

test.each([
  ['HTTP/1.1', '', 10_000],
  ['HTTP/1.1', 'connection: keep-alive', 10_000],
  ['HTTP/1.1', 'connection: close', 0],
  ['HTTP/1.1', 'connection: x, Close', 0],
  ['HTTP/1.1', 'connection: closed', 10_000],
  ['HTTP/1.0', '', 0],
  ['HTTP/1.0', 'connection: Keep-Alive', 10_000],
  ['HTTP/1.1', 'keep-alive: timeout=5', 3_000],
  ['HTTP/1.1', 'keep-alive: max=7, Timeout=120', 60_000],
  ['HTTP/1.1', 'keep-alive: timeout=2', 0],
  ['HTTP/1.1', 'keep-alive: timeout=0', 0],
  ['HTTP/1.1', 'keep-alive: timeout=soon', 10_000],
  ['HTTP/1.1', 'connection: close\r\nkeep-alive: timeout=5', 0],
])(
  'after an answer of %s with %j its connection rests for %i ms',
  (version, header, keepIdleMs) => {
    const line = header === '' ? '' : `${header}\r\n`
    const text = `${version} 200 OK\r\n${line}content-length: 0\r\n\r\n`
    expect(readWhole(text)).toMatchObject({ keepIdleMs, end: 'exact' })
  },
)

describe('however its bytes are cut, a response is read the same:', () => {
  const RESPONSES = [
    `HTTP/1.1 100 Continue\r\n\r\n${HEAD}x-a: 1\r\n 2\r\ncontent-length: 11\r\n\r\nhello world and more`,
    `${HEAD}transfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nx-a: b\r\n\r\n`,
    `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzzz\r\n`,
    `${HEAD}\r\nhello world`,
    `${HEAD}x-a: b\0c\r\n\r\n`,
    'HTTP/1.1 204 No Content\r\n\r\n',
  ]

  test.each(RESPONSES)('%j', (text) => {
    const whole = readWhole(text)
    const { end, ...rest } = read([...text])
    // Byte by byte, nothing can come after the end.
    expect(rest).toEqual({ ...whole, end: undefined })
    expect(end).toBe(whole.end === 'with more after it' ? 'exact' : whole.end)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const told = read(at.slice(1).map((to, i) => text.slice(at[i], to)))
        if (whole.end === 'with more after it') {
          expect(told.body).toBe(whole.body)
        } else {
          expect(told).toEqual(whole)
        }
      }),
    )
  })

  test('whatever they are, a reader ends or waits, and never throws', () => {
    const piece = fc.oneof(
      fc.constantFrom(HEAD, 'HTTP/1.1 ', '\r\n', '\n', '\r', ': ', '0', '5', ';', ' ', '200'),
      fc.constantFrom('content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'hello'),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const told = read(pieces)
        expect(told.malformed === undefined || told.end === undefined).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})
