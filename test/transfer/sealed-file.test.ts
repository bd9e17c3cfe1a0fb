import { createDecipheriv, scryptSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openSealed, sealContents } from '../../src/transfer/sealed-file.ts'

const PASSPHRASE = 'correct horse battery'
const CONTENTS = { organizations: [{ name: 'Ütopia 🌻' }], webhooks: [{ key: 'whsec_c2VjcmV0' }] }
const sealed = await sealContents(CONTENTS, PASSPHRASE)
const envelope = JSON.parse(sealed)

test('the passphrase opens the file, in any Unicode form of it', async () => {
  expect(await open(sealed)).toEqual(CONTENTS)
  const other = await sealContents(CONTENTS, 'pässphrase of export')
  expect(await open(other, 'pa\u0308ssphrase of export')).toEqual(CONTENTS)
})

test('the file shows nothing of its contents, and two files of the same contents share no key', async () => {
  expect(envelope).toMatchObject({ format: 'posthorn-export', version: 1 })
  for (const bytes of [sealed, Buffer.from(envelope.contents, 'base64').toString('latin1')]) {
    expect(bytes).not.toMatch(/whsec_|topia|webhooks/)
  }
  const second = JSON.parse(await sealContents(CONTENTS, PASSPHRASE))
  for (const field of ['salt', 'nonce', 'passphraseCheck', 'contents']) {
    expect(second[field]).not.toBe(envelope[field])
  }
})

test('another program can open the file as docs/operate/moving.md describes it', () => {
  const { tag, contents, ...head } = envelope
  const derived = scryptSync(PASSPHRASE, Buffer.from(head.salt, 'base64'), 40, {
    N: 131_072,
    r: 8,
    p: 1,
    maxmem: 2 ** 28,
  })
  expect(derived.subarray(32).toString('base64')).toBe(head.passphraseCheck)
  const key = derived.subarray(0, 32)
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(head.nonce, 'base64'))
  decipher.setAAD(Buffer.from(Object.values(head).join('\n')))
  decipher.setAuthTag(Buffer.from(tag, 'base64'))
  const text = decipher.update(contents, 'base64', 'utf8') + decipher.final('utf8')
  expect(JSON.parse(text)).toEqual(CONTENTS)
})

test('another passphrase is an error that says so', async () => {
  await expect(open(sealed, `${PASSPHRASE}!`)).rejects.toThrow(
    'The passphrase is not the one of the file.',
  )
})

describe('a changed file does not open', () => {
  const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)

  const WHY: Readonly<Record<string, RegExp>> = {
    format: /not an export of Posthorn/,
    salt: /passphrase/,
    passphraseCheck: /passphrase/,
  }

  test.each(Object.keys(envelope))('with another %s', async (field) => {
    const value = envelope[field]
    const changed = typeof value === 'number' ? value - 1 : other(value)
    await expect(open(JSON.stringify({ ...envelope, [field]: changed }))).rejects.toThrow(
      WHY[field] ?? /^The file was changed or damaged/,
    )
  })

  test('with a shorter tag or a field more', async () => {
    const tag = Buffer.from(envelope.tag, 'base64').subarray(0, 12).toString('base64')
    await expect(open(JSON.stringify({ ...envelope, tag }))).rejects.toThrow('tag must have 16')
    await expect(open(JSON.stringify({ ...envelope, more: 1 }))).rejects.toThrow('"more"')
  })

  test('with a cheaper key derivation', async () => {
    const changed = { ...envelope, keyDerivation: 'scrypt N=2 r=8 p=1' }
    await expect(open(JSON.stringify(changed))).rejects.toThrow('keyDerivation')
  })
})

test.each([
  ['an empty file', '', 'The file is empty.'],
  ['a file that was cut short', sealed.slice(0, -20), 'it was cut short'],
  ['another program’s JSON', '{"name":"x"}', 'is not an export of Posthorn'],
  ['JSON that is no object', 'null', 'is not an export of Posthorn'],
  [
    'a file of a newer version',
    JSON.stringify({ ...envelope, version: 2, posthorn: '9.1.0' }),
    'The file has version 2 of the format, of Posthorn 9.1.0',
  ],
])('%s is rejected with the reason', async (_what, text, message) => {
  await expect(open(text)).rejects.toThrow(message)
})

function open(text: string, passphrase = PASSPHRASE) {
  return openSealed(Buffer.from(text), passphrase)
}
