import { KeyObject } from 'node:crypto'
import type * as X509 from '@peculiar/x509'

export interface KeyAndCertificate {
  readonly key: string
  readonly cert: string
}

export interface TestAuthority {
  readonly pem: string
  /** The authority's own certificate, for a receiver with a self-signed certificate. */
  readonly self: KeyAndCertificate
  issue(
    names: readonly string[],
    options?: { from?: Date; until?: Date; hasWeakKey?: boolean },
  ): Promise<KeyAndCertificate>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const WEAK_ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 1_024,
  publicExponent: new Uint8Array([1, 0, 1]),
}
const DAY_MS = 86_400_000

/** A new authority, which a test can make a sender trust or not. */
export async function createTestAuthority(
  name = 'Posthorn test authority',
): Promise<TestAuthority> {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: daysFromNow(-10),
    notAfter: daysFromNow(10),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  })
  return {
    pem: root.toString('pem'),
    self: { key: toPem(keys.privateKey), cert: root.toString('pem') },
    async issue(names, options = {}) {
      const { from = daysFromNow(-5), until = daysFromNow(5), hasWeakKey = false } = options
      const algorithm = hasWeakKey ? WEAK_ALGORITHM : ALGORITHM
      const serverKeys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const certificate = await x509.X509CertificateGenerator.create({
        issuer: root.subject,
        signingKey: keys.privateKey,
        subject: 'CN=receiver',
        publicKey: serverKeys.publicKey,
        signingAlgorithm: ALGORITHM,
        notBefore: from,
        notAfter: until,
        extensions: [new x509.SubjectAlternativeNameExtension(names.map(toAlternativeName))],
      })
      return { key: toPem(serverKeys.privateKey), cert: certificate.toString('pem') }
    },
  }
}

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS)
}

function toAlternativeName(name: string): X509.JsonGeneralName {
  return { type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns', value: name }
}

function toPem(key: Parameters<typeof KeyObject.from>[0]): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Its dependency tsyringe throws without a Reflect polyfill, but only reads metadata that does not exist. */
async function loadX509(): Promise<typeof X509> {
  if (!('getMetadata' in Reflect))
    Object.assign(Reflect, { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {} })
  return import('@peculiar/x509')
}
