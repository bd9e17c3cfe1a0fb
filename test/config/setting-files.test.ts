import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { SECRET_SETTINGS } from '../../src/config/setting-files.ts'
import { problemsOf } from './support.ts'

const KEY = Buffer.alloc(32, 1)

const VALUES = {
  DATABASE_URL: 'postgres://u:hunter2@db/app',
  POSTHORN_DIRECT_DATABASE_URL: 'postgres://u:hunter2@direct/app',
  POSTHORN_ENCRYPTION_KEYS: KEY.toString('base64'),
  POSTHORN_EGRESS_PROXY: 'http://u:hunter2@proxy:3128',
  POSTHORN_OIDC_CLIENT_SECRET: 'hunter2',
  POSTHORN_SMTP_URL: 'smtp://user:hunter2@mail.example.com',
}

/** What a mail server needs besides. */
const MAIL = {
  POSTHORN_EMAIL_FROM: 'posthorn@example.com',
  POSTHORN_PUBLIC_URL: 'https://hooks.example.com',
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'posthorn-secrets-'))
  for (const [name, value] of Object.entries(VALUES)) write(name, value)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('every secret can be given in a file, and any other setting too', () => {
  const files = Object.keys(VALUES).map((name) => [`${name}_FILE`, path.join(folder, name)])
  const PORT_FILE = write('port', '4001\n')
  expect(loadConfig({ ...MAIL, ...Object.fromEntries(files), PORT_FILE })).toEqual(
    loadConfig({ ...MAIL, ...VALUES, PORT: '4001' }),
  )
  expect(Object.keys(VALUES)).toEqual(SECRET_SETTINGS)
})

test.each([
  ['\n', 'a line break'],
  ['\r\n', 'a line break of Windows'],
])('%j at the end of a file does not count (%s)', (end) => {
  const file = write('with-line-break', VALUES.POSTHORN_EGRESS_PROXY + end)
  expect(loadConfig({ POSTHORN_EGRESS_PROXY_FILE: file }).secrets.egressProxy).toBe(
    VALUES.POSTHORN_EGRESS_PROXY,
  )
})

test('an empty path means no file', () => {
  const values = { ...MAIL, ...VALUES }
  expect(loadConfig({ ...values, DATABASE_URL_FILE: '' })).toEqual(loadConfig(values))
})

describe.each(Object.entries(VALUES))('%s_FILE', (name, value) => {
  const problemsWith = (file: string, others: Record<string, string> = {}) =>
    problemsOf({ ...MAIL, ...VALUES, [name]: '', [`${name}_FILE`]: file, ...others })

  test('that is missing or unreadable is rejected by name, with the path', () => {
    const missing = path.join(folder, 'missing')
    expect(problemsWith(missing)).toEqual([
      `${name}_FILE is "${missing}": the file cannot be read (ENOENT). Give the path of a file that Posthorn's user can read.`,
    ])
    const directory = path.join(folder, 'directory')
    mkdirSync(directory, { recursive: true })
    expect(problemsWith(directory)).toEqual([
      expect.stringContaining(`${name}_FILE is "${directory}": the file cannot be read (EISDIR)`),
    ])
  })

  test.each(['', '\n', ' \n'])('with %j in it is rejected', (text) => {
    const file = write('empty', text)
    expect(problemsWith(file)).toEqual([
      `${name}_FILE is "${file}": the file is empty. Write the value into it.`,
    ])
  })

  test('together with the setting itself is rejected', () => {
    const file = path.join(folder, name)
    expect(problemsWith(file, { [name]: value })).toEqual([
      `${name}_FILE is "${file}": ${name} is set, too. Remove one of the two.`,
    ])
  })

  // Every text can be the secret of a client.
  if (name === 'POSTHORN_OIDC_CLIENT_SECRET') return
  test('with an invalid value is rejected without showing the value', () => {
    const [problem, ...others] = problemsWith(write('invalid', 'hunter2-marker'))
    expect(problem).toContain(name)
    expect([problem, ...others].join()).not.toContain('hunter2')
  })
})

test('all files are reported together with the other problems, and misspelled names are recognized', () => {
  expect(
    problemsOf({
      PORT: 'x',
      DATABASE_URL_FILE: '/no/url',
      POSTHORN_ENCRYPTION_KEYS_FILE: '/no/keys',
      POSTHORN_ENCRYPTION_KEY_FILE: '/no/key',
    }),
  ).toEqual([
    'POSTHORN_ENCRYPTION_KEY_FILE is not a setting. Did you mean "POSTHORN_ENCRYPTION_KEYS_FILE"?',
    expect.stringMatching(/^DATABASE_URL_FILE is "\/no\/url": .*ENOENT/),
    expect.stringMatching(/^POSTHORN_ENCRYPTION_KEYS_FILE is "\/no\/keys": .*ENOENT/),
    expect.stringMatching(/^PORT is "x"/),
  ])
})

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}
