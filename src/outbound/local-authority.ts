import { createHash, createPrivateKey, KeyObject, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import type * as X509 from '@peculiar/x509'

/**
 * The certificate authority of a trial installation, in `<dataDir>/authority/`: the sender trusts `ca.pem`,
 * local receivers are certified with `ca.key`. Its name constraints admit nothing but this machine's loopback,
 * so that a stolen key, even of an authority that a browser trusts, can impersonate nobody.
 */
export interface LocalAuthority {
  readonly certificateFile: string
  readonly certificatePem: string
  /** Valid for 30 days. `hosts` are `localhost`, names below it, or loopback addresses; anything else throws. */
  issueServerCertificate(hosts: readonly string[]): Promise<{ certPem: string; keyPem: string }>
}

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
const LEAF_DAYS = 30
/** Twice a leaf's life: no leaf outlives its authority. */
const RENEW_BEFORE_DAYS = 2 * LEAF_DAYS
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Reads the authority, or makes it: once, however many processes ask at the same time.
 * One that is unreadable or expires within 60 days is set aside as `authority.replaced-…` and made anew.
 */
export async function ensureLocalAuthority(
  dataDir: string,
  now = new Date(),
): Promise<LocalAuthority> {
  const directory = path.join(dataDir, 'authority')
  await mkdir(dataDir, { recursive: true })
  let before = ''
  for (let round = 0; round < 5; round++) {
    const pair = await readPair(directory)
    if (isUsable(pair, now)) return openAuthority(directory, pair)
    const digest = createHash('sha256').update(`${pair.certPem}\n${pair.keyPem}`).digest('hex')
    // Seen twice alike, it is not half of an old pair and half of a new one.
    if (digest === before) await setAside(directory, digest)
    await install(directory, await createAuthority(now))
    before = digest
  }
  throw new Error(`${directory} holds no usable certificate authority. Remove it and try again.`)
}

interface PemPair {
  readonly certPem: string
  readonly keyPem: string
}

async function readPair(directory: string): Promise<PemPair> {
  return {
    certPem: await readIfPresent(path.join(directory, 'ca.pem')),
    keyPem: await readIfPresent(path.join(directory, 'ca.key')),
  }
}

async function readIfPresent(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function isUsable(pair: PemPair, now: Date): boolean {
  try {
    const certificate = new X509Certificate(pair.certPem)
    const renewAt = certificate.validToDate.getTime() - RENEW_BEFORE_DAYS * DAY_MS
    return (
      certificate.ca &&
      certificate.checkPrivateKey(createPrivateKey(pair.keyPem)) &&
      certificate.validFromDate <= now &&
      now.getTime() < renewAt
    )
  } catch {
    return false
  }
}

/** Both files appear at once, by renaming their directory, which fails where one that is not empty exists. */
async function install(directory: string, pair: PemPair): Promise<void> {
  const fresh = await mkdtemp(`${directory}.new-`)
  try {
    await writeFile(path.join(fresh, 'ca.key'), pair.keyPem, { mode: 0o600 })
    await writeFile(path.join(fresh, 'ca.pem'), pair.certPem)
    await renameUnlessTaken(fresh, directory)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** The name says what is replaced, so of two processes only one succeeds, and never with the other's new one. */
async function setAside(directory: string, digest: string): Promise<void> {
  await renameUnlessTaken(directory, `${directory}.replaced-${digest.slice(0, 12)}`)
}

async function renameUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(code)) throw error
  }
}

async function createAuthority(now: Date): Promise<PemPair> {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A name of its own, so that a client that trusts an older one is told apart from a bad signature.
    name: `CN=Posthorn local authority ${crypto.randomUUID().slice(0, 8)}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(now, AUTHORITY_DAYS),
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

/** RFC 5280 §4.2.1.10, which the library cannot write: permitted are localhost, 127.0.0.0/8 and ::1/128. */
const LOOPBACK_ONLY = Buffer.concat([
  Buffer.from('303fa03d', 'hex'),
  Buffer.from('300b8209', 'hex'),
  Buffer.from('localhost'),
  Buffer.from('300a8708' + '7f000000' + 'ff000000', 'hex'),
  Buffer.from(`30228720${'0'.repeat(31)}1${'f'.repeat(32)}`, 'hex'),
])

function openAuthority(directory: string, pair: PemPair): LocalAuthority {
  return {
    certificateFile: path.join(directory, 'ca.pem'),
    certificatePem: pair.certPem,
    issueServerCertificate: (hosts) => issueServerCertificate(pair, hosts),
  }
}

async function issueServerCertificate(authority: PemPair, hosts: readonly string[]) {
  const stranger = hosts.find((host) => !isLoopback(host))
  if (stranger !== undefined || hosts.length === 0) {
    throw new Error(
      `The local authority certifies localhost and loopback addresses, not ${JSON.stringify(stranger ?? hosts)}.`,
    )
  }
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
    ...validity(new Date(), LEAF_DAYS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({
          type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const),
          value: host,
        })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: toPem(keys.privateKey) }
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || /^([a-z0-9-]+\.)*localhost$/.test(host)
}

/** A minute early, for whoever's clock is behind. */
function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - 60_000),
    notAfter: new Date(now.getTime() + days * DAY_MS),
  }
}

function toPem(key: Parameters<typeof KeyObject.from>[0]): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
}

let loading: Promise<typeof X509> | undefined

/**
 * Loaded when first needed: it takes a tenth of a second, and only trial installations need it. Its dependency
 * tsyringe refuses to load without a Reflect polyfill, of which it then reads only metadata that nobody wrote:
 * these stand-ins serve while it loads, and leave no trace.
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
