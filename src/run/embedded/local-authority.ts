import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type * as X509 from '@peculiar/x509'

/**
 * The certificate authority of a trial installation, in `<dataDir>/authority/`. The sender trusts `ca.pem`;
 * `ca.key` signs the certificates of local receivers. Its name constraints permit only this machine's loopback, so
 * a stolen key cannot impersonate another host, even if a browser trusts the authority.
 */
interface LocalAuthority {
  readonly certificateFile: string
  readonly certificatePem: string
  /** Issues a certificate for `localhost`, 127.0.0.1 and ::1 that is valid for 30 days. */
  issueServerCertificate(): Promise<PemPair>
}

/** Reads the authority, or creates it: only once, even if several processes start at the same time. */
export async function ensureLocalAuthority(dataDir: string): Promise<LocalAuthority> {
  const directory = path.join(dataDir, 'authority')
  await mkdir(dataDir, { recursive: true })
  if (!existsSync(directory)) await install(directory, await createAuthority())
  const pair = await readPair(directory)
  if (pair === null) {
    throw new Error(`${directory} has no usable certificate authority. Remove it and try again.`)
  }
  return {
    certificateFile: path.join(directory, 'ca.pem'),
    certificatePem: pair.certPem,
    issueServerCertificate: () => issueServerCertificate(pair),
  }
}

/** Null if a file is missing, or the certificate has expired or is not that of the key. */
async function readPair(directory: string): Promise<PemPair | null> {
  try {
    const certPem = await readFile(path.join(directory, 'ca.pem'), 'utf8')
    const keyPem = await readFile(path.join(directory, 'ca.key'), 'utf8')
    const certificate = new X509Certificate(certPem)
    const isUsable =
      certificate.checkPrivateKey(createPrivateKey(keyPem)) && certificate.validToDate > new Date()
    return isUsable ? { certPem, keyPem } : null
  } catch {
    return null
  }
}

/** Renaming their directory makes both files appear together. It fails if that of another process exists. */
async function install(directory: string, pair: PemPair): Promise<void> {
  const fresh = await mkdtemp(`${directory}.new-`)
  try {
    await writeFile(path.join(fresh, 'ca.key'), pair.keyPem, { mode: 0o600 })
    await writeFile(path.join(fresh, 'ca.pem'), pair.certPem)
    await rename(fresh, directory).catch((error) => {
      // Another process was first.
      if (!existsSync(directory)) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** A certificate and its private key. */
interface PemPair {
  readonly certPem: string
  readonly keyPem: string
}

/** The validity of a server certificate. */
const LEAF_DAYS = 30
const AUTHORITY_DAYS = 3650
const DAY_MS = 86_400_000
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Creates an authority that can only certify this machine's loopback. */
async function createAuthority(): Promise<PemPair> {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A unique name: a client that trusts an older authority reports an unknown issuer instead of a bad signature.
    name: `CN=Posthorn local authority ${crypto.randomUUID().slice(0, 8)}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(AUTHORITY_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.Extension('2.5.29.30', true, LOOPBACK_ONLY),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: toPem(keys.privateKey) }
}

/** Name constraints (RFC 5280 §4.2.1.10), which the library cannot write: localhost, 127.0.0.0/8 and ::1/128. */
const LOOPBACK_ONLY = Buffer.concat([
  Buffer.from('303fa03d', 'hex'),
  Buffer.from('300b8209', 'hex'),
  Buffer.from('localhost'),
  Buffer.from('300a8708' + '7f000000' + 'ff000000', 'hex'),
  Buffer.from(`30228720${'0'.repeat(31)}1${'f'.repeat(32)}`, 'hex'),
])

async function issueServerCertificate(authority: PemPair): Promise<PemPair> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certPem)
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Posthorn local receiver',
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.keyPem).toCryptoKey(ALGORITHM, false, [
      'sign',
    ]) as CryptoKey,
    signingAlgorithm: ALGORITHM,
    ...validity(LEAF_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: toPem(keys.privateKey) }
}

/** Starts a minute early, for clients whose clock is behind. */
function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + days * DAY_MS) }
}

function toPem(key: Parameters<typeof KeyObject.from>[0]): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
}

let loading: Promise<typeof X509> | undefined

/**
 * Loads the library when it is first needed: that takes 0.1 s, and only trial installations need it. Its dependency
 * tsyringe throws without a Reflect polyfill, but only reads metadata that does not exist. These stand-ins satisfy it
 * while it loads, and are removed afterwards.
 */
function loadX509(): Promise<typeof X509> {
  loading ??= (async () => {
    if ('getMetadata' in Reflect) return import('@peculiar/x509')
    const standIns = { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {} }
    Object.assign(Reflect, standIns)
    try {
      return await import('@peculiar/x509')
    } finally {
      for (const name of Object.keys(standIns)) Reflect.deleteProperty(Reflect, name)
    }
  })()
  return loading
}
