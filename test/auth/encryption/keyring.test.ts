import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/auth/encryption/keyring.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const row = '01a1f9a9-bcff-7ee4-9936-ba4a1c3ea8b0'
const otherRow = '01a1f9a9-bcff-7ee4-9936-ba4a1c3ea8b1'
const secret = Buffer.from('whsec_marker')

test('decryption restores the encrypted bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 10_000 }), (bytes) => {
      const keyring = createKeyring([first])
      expect(keyring.decrypt(keyring.encrypt(bytes, row), row)).toEqual(Buffer.from(bytes))
    }),
  )
})

test('the first key encrypts and every key decrypts, so keys can be rotated', () => {
  const old = createKeyring([first]).encrypt(secret, row)
  const rotated = createKeyring([second, first])
  expect(rotated.decrypt(old, row)).toEqual(secret)
  expect(createKeyring([second]).decrypt(rotated.encrypt(secret, row), row)).toEqual(secret)
})

test('the same secret encrypts to different ciphertexts', () => {
  const keyring = createKeyring([first])
  expect(keyring.encrypt(secret, row)).not.toEqual(keyring.encrypt(secret, row))
})

describe('is rejected', () => {
  const keyring = createKeyring([first])
  const ciphertext = keyring.encrypt(secret, row)

  test('a ciphertext that was moved to another row', () => {
    expect(() => keyring.decrypt(ciphertext, otherRow)).toThrow()
  })

  test('a ciphertext with any altered byte', () => {
    for (let i = 0; i < ciphertext.length; i++) {
      const altered = Uint8Array.from(ciphertext)
      altered[i] = (altered[i] as number) ^ 1
      expect(() => keyring.decrypt(altered, row), `byte ${i}`).toThrow()
    }
  })

  test('a ciphertext of a key that the ring lacks, with the remedy', () => {
    expect(() => createKeyring([second]).decrypt(ciphertext, row)).toThrow(
      /POSTHORN_ENCRYPTION_KEYS does not list/,
    )
  })

  test.each([0, 1, 16, 32])('a ciphertext truncated to %i bytes', (length) => {
    expect(() => keyring.decrypt(ciphertext.slice(0, length), row)).toThrow()
  })

  test('a ring without keys', () => {
    expect(() => createKeyring([])).toThrow(/needs a key/)
  })
})
